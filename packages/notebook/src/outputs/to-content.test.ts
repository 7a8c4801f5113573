import { verifies } from '@quire/spec/verifies'
import { encode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import type { MimeBundle, Output } from '../document/nbformat.ts'
import { OutputView } from './describe-output.ts'
import { DEFAULT_OUTPUT_POLICY, type OutputPolicy } from './output-policy.ts'
import { outputsToContent } from './to-content.ts'

const PNG = Buffer.from(encode({ width: 2, height: 1, data: new Uint8Array(8) })).toString('base64')
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

const printed = (text: string): Output => ({ output_type: 'stream', name: 'stdout', text })
const shown = (data: MimeBundle): Output => ({ output_type: 'display_data', data, metadata: {} })
const failed = (...traceback: string[]): Output => ({
  output_type: 'error',
  ename: 'E',
  evalue: 'v',
  traceback,
})

/** What no type allows and a file may hold all the same. */
const odd = (output: unknown): Output => output as Output

async function convert(
  outputs: readonly Output[],
  policy: Partial<OutputPolicy> = {},
  link?: (index: number) => string | undefined,
) {
  const result = await outputsToContent(outputs, { ...DEFAULT_OUTPUT_POLICY, ...policy }, link)
  for (const view of result.views) OutputView.parse(view)
  return result
}

async function textsOf(outputs: readonly Output[], policy: Partial<OutputPolicy> = {}) {
  const { content } = await convert(outputs, policy)
  return content.map((block) => (block.type === 'text' ? block.text : block.type))
}

describe('one output', () => {
  test.each<[string, Output, string[]]>([
    ['a stream', printed('a\nb'), ['a\nb']],
    ['a stream in lines', odd({ output_type: 'stream', text: ['a\n', 'b'] }), ['a\nb']],
    ['a stream of nothing', printed(''), []],
    ['a stream without text', odd({ output_type: 'stream', text: 7 }), []],
    ['plain text', shown({ 'text/plain': 'x' }), ['x']],
    ['plain text in lines', shown({ 'text/plain': ['x\n', 'y'] }), ['x\ny']],
    ['markdown before plain text', shown({ 'text/plain': 'x', 'text/markdown': '# x' }), ['# x']],
    ['LaTeX before JSON', shown({ 'application/json': {}, 'text/latex': '$x$' }), ['$x$']],
    [
      'JSON before plain text',
      shown({ 'text/plain': 'x', 'application/json': { a: ['é'] } }),
      ['{\n  "a": [\n    "é"\n  ]\n}'],
    ],
    ['JSON that is null', shown({ 'application/json': null }), ['null']],
    ['plain text before HTML', shown({ 'text/html': '<b>x</b>', 'text/plain': 'x' }), ['x']],
    ['HTML alone', shown({ 'text/html': '<b>x</b>' }), ['[HTML Output]']],
    [
      'other media types',
      shown({ 'application/a': 1, 'application/b': 2 }),
      ["[display_data Data: keys=['application/a', 'application/b']]"],
    ],
    [
      'a result of another media type',
      odd({ output_type: 'execute_result', data: { 'application/a': 1 } }),
      ["[execute_result Data: keys=['application/a']]"],
    ],
    ['no data', shown({}), ['[display_data Data: keys=[]]']],
    [
      'data that are a list',
      odd({ output_type: 'display_data', data: [1] }),
      ['[display_data Data: keys=[]]'],
    ],
    ['data that are missing', odd({ output_type: 'display_data' }), ['[display_data Data: keys=[]]']],
    ['an image without data', shown({ 'image/png': '', 'text/plain': 'x' }), ['x']],
    ['an image that is no text', shown({ 'image/png': { a: 1 }, 'text/plain': 'x' }), ['x']],
    ['an error', failed('Traceback', 'ValueError: x'), ['Traceback\nValueError: x']],
    ['an error without a traceback', failed(), ['E: v']],
    ['an error with an empty traceback', failed('', ' '), ['E: v']],
    [
      'an error with its name alone',
      odd({ output_type: 'error', ename: 'KeyboardInterrupt', evalue: '', traceback: [] }),
      ['KeyboardInterrupt'],
    ],
    ['an error without anything', odd({ output_type: 'error' }), ['[Error output with no details]']],
    ['a traceback that is a text', odd({ output_type: 'error', traceback: 'Traceback' }), ['Traceback']],
    ['an unknown type', odd({ output_type: 'pyout' }), ['[Unknown output type: pyout]']],
    ['nothing at all', odd(null), ['[Unknown output type: undefined]']],
    ['no type', odd({}), ['[Unknown output type: undefined]']],
    [
      'a type that is long and coloured',
      odd({ output_type: `\u001b[31m${'x'.repeat(500)}` }),
      [`[Unknown output type: ${'x'.repeat(100)}]`],
    ],
  ])('%s', async (_, output, expected) => {
    expect(await textsOf([output])).toEqual(expected)
  })

  test('escape sequences are gone, wherever they stood', async () => {
    verifies('NB-EXEC-9')
    const coloured = [
      '\u001b[1;31mx\u001b[0m',
      '\u001b[?25lx',
      '\u001b]8;;http://a.b/\u001b\\x\u001b]8;;\u0007',
      '\u001bPq1\u001b\\x',
      '\u001b_a\u001b\\x',
      '\u001b(Bx',
      '\u009b31mx',
      '\u009d0;t\u009cx',
      '\u001bcx',
      'y\r\u001b[Kx',
    ]
    for (const text of coloured) {
      const outputs = [
        printed(text),
        shown({ 'text/plain': text }),
        shown({ 'text/markdown': text }),
        shown({ 'text/latex': text }),
        failed(text),
        odd({ output_type: 'error', ename: text }),
      ]
      expect(await textsOf(outputs)).toEqual(outputs.map(() => 'x'))
      expect((await convert(outputs)).views.map((view) => view.text)).toEqual(outputs.map(() => 'x'))
    }
  })

  test('JSON nested too deeply has a placeholder', async () => {
    const nested = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    expect(await textsOf([shown({ 'application/json': nested })])).toEqual([
      '[JSON Output: nested too deeply to be shown]',
    ])
  })

  test('names of media types are bounded too', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 1000 }, (_, n) => [`application/${n}${'x'.repeat(1000)}`, 1]),
    )
    const [text = ''] = await textsOf([shown(data)])
    expect(text.length).toBeLessThan(3000)
    expect(text).toMatch(/, \.\.\.\]\]$/)
  })
})

describe('images', () => {
  test('PNG, JPEG and GIF come as images, SVG as a resource of its own type, without their text', async () => {
    verifies('NB-EXEC-8')
    const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex').toString('base64')
    const { content, images, truncated, views } = await convert([
      shown({ 'image/png': PNG, 'text/plain': '<Figure>' }),
      shown({ 'image/jpeg': jpeg, 'text/plain': '<Figure>' }),
      shown({ 'image/gif': `${GIF}\n` }),
      shown({ 'image/svg+xml': SVG, 'text/html': '<b>x</b>' }),
    ])
    expect(content).toEqual([
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'image', mimeType: 'image/jpeg', data: jpeg },
      { type: 'image', mimeType: 'image/gif', data: GIF },
      {
        type: 'resource',
        resource: { uri: 'notebook-output:svg', mimeType: 'image/svg+xml', text: SVG },
      },
    ])
    expect({ images, truncated }).toEqual({ images: 4, truncated: false })
    expect(views[0]).toEqual({
      index: 0,
      type: 'image',
      mime: 'image/png',
      text: '<Figure>',
      bytes: 67,
      width: 2,
      height: 1,
      truncated: false,
    })
    expect(JSON.stringify(views)).not.toContain(PNG)
  })

  test('where they are not wanted, a placeholder and the text take their place', async () => {
    const outputs = [
      shown({ 'image/png': PNG, 'text/plain': '<Figure size 640x480 with 1 Axes>' }),
      shown({ 'image/svg+xml': SVG }),
    ]
    expect(await textsOf(outputs, { images: false })).toEqual([
      '[Image Output (PNG) - Image display disabled]',
      '<Figure size 640x480 with 1 Axes>',
      '[Image Output (SVG) - Image display disabled]',
    ])
    expect(await convert(outputs, { images: false })).toMatchObject({ images: 0, truncated: false })
  })

  test('one that is left out keeps its text and gets a link', async () => {
    const { content, truncated, images } = await convert(
      [shown({ 'image/gif': GIF, 'text/plain': 'a cat' })],
      { maxImageBytes: 10 },
      (index) => `notebook://x/outputs/${index}`,
    )
    expect(content).toEqual([
      { type: 'text', text: '[GIF image left out: it has 42 bytes]' },
      { type: 'text', text: 'a cat' },
      {
        type: 'resource_link',
        uri: 'notebook://x/outputs/0',
        name: 'output 0',
        description: 'The whole of this output',
      },
    ])
    expect({ truncated, images }).toEqual({ truncated: true, images: 0 })
  })

  test('an SVG stands under the address of its output, and one that is too long is only linked to', async () => {
    verifies('NB-EXEC-8')
    const long = `${SVG}<!--${' '.repeat(16 * 1024)}-->`
    const { content, truncated, images } = await convert(
      [shown({ 'image/svg+xml': SVG }), shown({ 'image/svg+xml': long, 'text/plain': '<Graph>' })],
      {},
      (index) => `notebook://x/outputs/${index}`,
    )
    expect(content).toEqual([
      {
        type: 'resource',
        resource: { uri: 'notebook://x/outputs/0', mimeType: 'image/svg+xml', text: SVG },
      },
      { type: 'text', text: expect.stringMatching(/^\[SVG image left out: it has 16,\d{3} bytes\]$/) },
      { type: 'text', text: '<Graph>' },
      expect.objectContaining({ type: 'resource_link', uri: 'notebook://x/outputs/1' }),
    ])
    expect({ truncated, images }).toEqual({ truncated: true, images: 1 })
  })

  test('one that is scaled says so, and links to the original', async () => {
    const large = Buffer.from(encode({ width: 40, height: 20, data: new Uint8Array(3200) })).toString(
      'base64',
    )
    const { content, images } = await convert(
      [shown({ 'image/png': large })],
      { maxImageSide: 10 },
      () => 'notebook://x',
    )
    expect(content).toMatchObject([
      { type: 'image', mimeType: 'image/png' },
      { type: 'text', text: '[image scaled from 40x20 to 10x5]' },
      { type: 'resource_link', uri: 'notebook://x' },
    ])
    expect(images).toBe(1)
  })
})

describe('the budget', () => {
  const bytesIn = (texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

  test('what fits is whole, one block for each output', async () => {
    const outputs = [printed('a\n'), printed('b\n'), shown({ 'text/plain': 'c' })]
    expect(await convert(outputs)).toMatchObject({
      content: [{ text: 'a\n' }, { text: 'b\n' }, { text: 'c' }],
      truncated: false,
    })
  })

  test('a flood is cut visibly, and links to the whole', async () => {
    const { content, truncated, views } = await convert(
      [printed(`first${'x'.repeat(1_000_000)}last`)],
      {},
      () => 'notebook://a/outputs/0',
    )
    const [text, link] = content
    expect(text?.type === 'text' && text.text).toMatch(
      /^firstx+\n\[\.\.\. 934,\d{3} bytes cut; whole output: notebook:\/\/a\/outputs\/0\]\nx+last$/,
    )
    expect(text?.type === 'text' && Buffer.byteLength(text.text)).toBeLessThanOrEqual(64 * 1024)
    expect(link).toMatchObject({ type: 'resource_link', uri: 'notebook://a/outputs/0' })
    expect(truncated).toBe(true)
    expect(views).toMatchObject([{ type: 'text', stream: 'stdout', bytes: 1_000_009, truncated: true }])
    expect(views[0]?.text).toBe(text?.type === 'text' && text.text)
  })

  test('without a link the cut is visible all the same', async () => {
    const [text = ''] = await textsOf([printed('é'.repeat(10_000))], { maxBytes: 1000 })
    expect(text).toMatch(/^é+\n\[\.\.\. 19,\d{3} bytes cut \.\.\.\]\né+$/)
  })

  test('a traceback survives a flood, and small outputs stay whole beside it', async () => {
    const traceback = `Traceback\n${'  line\n'.repeat(1000)}ValueError: at the end`
    const outputs = [printed('x'.repeat(5_000_000)), shown({ 'text/plain': 'small' }), failed(traceback)]
    const texts = await textsOf(outputs)
    expect(texts[1]).toBe('small')
    expect(texts[2]).toBe(traceback)
    expect(bytesIn(texts)).toBeLessThanOrEqual(64 * 1024)
  })

  test('a traceback without end keeps its beginning and its end', async () => {
    const traceback = `Traceback\n${'x'.repeat(1_000_000)}\nRecursionError: too deep`
    const [, text = ''] = await textsOf([printed('y'.repeat(1_000_000)), failed(traceback)])
    expect(text).toMatch(/^Traceback\nx+\n\[\.\.\. [\d,]+ bytes cut \.\.\.\]\nx+\nRecursionError: too deep$/)
    expect(text.length).toBeGreaterThan(16_000)
  })

  test('of very many outputs the first, the last and the error are shown', async () => {
    const outputs = Array.from({ length: 10_000 }, (_, n) => printed(`line ${n}`))
    outputs[5000] = failed('ValueError: in the middle')
    const { content, truncated, views } = await convert(outputs)
    const texts = content.map((block) => (block.type === 'text' ? block.text : ''))
    expect(texts[0]).toBe('line 0')
    expect(texts.slice(63, 68)).toEqual([
      'line 63',
      '[... 4,936 outputs cut ...]',
      'ValueError: in the middle',
      '[... 4,935 outputs cut ...]',
      'line 9936',
    ])
    expect(texts.at(-1)).toBe('line 9999')
    expect(views.map(({ index }) => index)).toHaveLength(129)
    expect(truncated).toBe(true)
  })

  test.each([0, 1, 100, 5000, 100_000])(
    '%i bytes are a bound for text and structured text',
    async (maxBytes) => {
      const outputs = Array.from({ length: 30 }, (_, n) =>
        n % 7 === 0 ? failed('e'.repeat(n * 1000)) : printed('😀'.repeat(n * 500)),
      )
      const { content, views } = await convert(outputs, { maxBytes })
      const markers = 60 * views.length + 60
      expect(bytesIn(content.map((block) => (block.type === 'text' ? block.text : '')))).toBeLessThanOrEqual(
        maxBytes + (maxBytes < 20_000 ? markers : 0),
      )
      expect(bytesIn(views.map((view) => view.text ?? ''))).toBeLessThanOrEqual(
        maxBytes + (maxBytes < 20_000 ? markers : 0),
      )
      for (const { text = '' } of views) expect(text.isWellFormed()).toBe(true)
    },
  )

  test('HTML and what has no text link to the whole', async () => {
    const { content } = await convert(
      [shown({ 'text/html': '<b>x</b>' }), shown({ 'application/x': 1 })],
      {},
      (n) => `notebook://${n}`,
    )
    expect(content.map(({ type }) => type)).toEqual(['text', 'resource_link', 'text', 'resource_link'])
  })

  test('no outputs are no content', async () => {
    expect(await convert([])).toEqual({ content: [], views: [], truncated: false, images: 0 })
  })
})
