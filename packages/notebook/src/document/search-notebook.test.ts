import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { code, markdown, notebook, stream } from './notebook.fixture.ts'
import { type SearchOptions, searchNotebook } from './search-notebook.ts'

const book = notebook(
  markdown('# Data\nLoad the data.'),
  code('data = load("a.csv")\nprint(data)', {
    outputs: [
      stream('\u001b[31mDATA\u001b[0m frame'),
      {
        output_type: 'display_data',
        data: { 'text/plain': '<Figure>', 'text/html': '<b>data</b>' },
        metadata: {},
      },
      {
        output_type: 'display_data',
        data: { 'text/html': '<i>html data</i>', 'image/png': 'data' },
        metadata: {},
      },
      {
        output_type: 'error',
        ename: 'KeyError',
        evalue: 'data',
        traceback: ['in <cell>', '\u001b[0;31mda\u001b[0mta[0]'],
      },
    ],
  }),
  code('x = "ÄÖ 🎻"'),
)

async function found(options: SearchOptions): Promise<string[]> {
  const { hits } = await searchNotebook(book, options)
  return hits.map(
    ({ index, output, line, text }) => `${index}${output === undefined ? '' : `.${output}`}:${line} ${text}`,
  )
}

describe('searching', () => {
  test.each<[string, SearchOptions, string[]]>([
    [
      'finds text in sources, in any case',
      { query: 'DATA' },
      ['0:1 # Data', '0:2 Load the data.', '1:1 data = load("a.csv")', '1:2 print(data)'],
    ],
    ['minds the case when asked to', { query: 'Data', caseSensitive: true }, ['0:1 # Data']],
    ['takes the text literally', { query: '.csv")' }, ['1:1 data = load("a.csv")']],
    ['takes signs of expressions literally', { query: '.*' }, []],
    ['finds text across lines', { query: 'data\nload' }, ['0:1 # Data']],
    ['folds the case of other alphabets', { query: 'äö 🎻' }, ['2:1 x = "ÄÖ 🎻"']],
    [
      'finds text in outputs when asked to, without colours',
      { query: 'data', caseSensitive: false, outputs: true },
      [
        '0:1 # Data',
        '0:2 Load the data.',
        '1:1 data = load("a.csv")',
        '1:2 print(data)',
        '1.0:1 DATA frame',
        '1.2:1 <i>html data</i>',
        '1.3:1 KeyError: data',
        '1.3:3 data[0]',
      ],
    ],
    [
      'takes an expression when asked to',
      { query: '^\\w+ = ', regex: true },
      ['1:1 data = load("a.csv")', '2:1 x = "ÄÖ 🎻"'],
    ],
    [
      'knows classes of Unicode',
      { query: '\\p{Lu}{2}', regex: true, caseSensitive: true },
      ['2:1 x = "ÄÖ 🎻"'],
    ],
    ['forgives a needless escape', { query: 'a\\.csv\\"', regex: true }, ['1:1 data = load("a.csv")']],
    ['finds nothing by an expression that matches nothing', { query: 'q*', regex: true }, []],
  ])('%s', async (_what, options, expected) => {
    expect(await found(options)).toEqual(expected)
  })

  test('says which cell a hit is in', async () => {
    const { hits, total } = await searchNotebook(book, { query: 'print' })
    expect(total).toBe(1)
    expect(hits).toEqual([
      { index: 1, id: 'c1', type: 'code', output: undefined, line: 2, text: 'print(data)' },
    ])
  })

  test('bounds the hits and goes on counting', async () => {
    const large = notebook(code('x\n'.repeat(5_000)), code('x'))
    const { hits, total } = await searchNotebook(large, { query: 'x', limit: 3 })
    expect(hits.map(({ line }) => line)).toEqual([1, 2, 3])
    expect(total).toBe(5_001)
    const endless = notebook(code('x'.repeat(1_000_000)))
    expect((await searchNotebook(endless, { query: 'x', limit: 3 })).total).toBe(10_000)
  })

  test('shows the part of a long line that matches', async () => {
    const long = notebook(code(`${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}`))
    const { hits } = await searchNotebook(long, { query: 'needle' })
    expect(hits[0]?.text).toHaveLength(200)
    expect(hits[0]?.text).toContain('needle')
  })

  test.each<[string, SearchOptions, RegExp]>([
    ['nothing', { query: '' }, /must not be empty/],
    ['an expression that is none', { query: '(', regex: true }, /Invalid regular expression.*Mend/],
    ['an expression of much text', { query: 'a'.repeat(1_001), regex: true }, /1001 characters/],
  ])('refuses %s', async (_what, options, message) => {
    await expect(searchNotebook(book, options)).rejects.toThrow(message)
  })
})

describe('an expression that would run for ever is stopped', () => {
  const hostile = notebook(code(`${'a'.repeat(2_000)}!`))

  test.each([
    ['(a+)+$'],
    ['(a|aa)+$'],
    ['(a|a?)+$'],
    ['a*a*a*a*a*a*b'],
    ['(.*)*c'],
    ['(?=(a+))(a+)+b'],
    ['([a-z]+)*\\d'],
  ])('%s', async (query) => {
    await expect(searchNotebook(hostile, { query, regex: true, timeoutMs: 100 })).rejects.toThrow(
      /was stopped: it was not done after 0\.1 seconds/,
    )
  })

  test('by its caller too, while others go on', async () => {
    const caller = new AbortController()
    const search = searchNotebook(hostile, {
      query: '(a+)+$',
      regex: true,
      timeoutMs: 60_000,
      signal: caller.signal,
    })
    await expect(searchNotebook(hostile, { query: 'a!', regex: true })).resolves.toMatchObject({ total: 1 })
    caller.abort(new Error('the caller has gone'))
    await expect(search).rejects.toThrow('the caller has gone')
  })

  test('and no thread of it is left', async () => {
    const threads = () => readdirSync('/proc/self/task').length
    const search = () => searchNotebook(hostile, { query: '(a+)+$', regex: true, timeoutMs: 50 })
    await expect(search()).rejects.toThrow(/was stopped/)
    const before = threads()
    for (let count = 0; count < 3; count += 1) await expect(search()).rejects.toThrow(/was stopped/)
    expect(threads()).toBeLessThanOrEqual(before)
  })
})
