const HOSTILE = '<img src=x onerror="top.quireTaken=1"></script><script>top.quireTaken=2</script>\u202Egnp'
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="60"><script>try{top.quireTaken=3}catch{document.title='refused'}</script><rect width="320" height="60" rx="8" fill="#6366f1"/><text x="20" y="38" fill="#fff" font-family="sans-serif" font-size="20">drawn by the cell</text></svg>`
/** Tries everything, and says what it got. */
const ATTACK = `<div id="said">nothing yet</div><script>
(async () => {
  const got = []
  const attempts = {
    page: () => parent.document.title,
    top: () => { top.quireTaken = 4; return 'taken' },
    away: () => { top.location = 'https://example.com/'; return 'moved' },
    storage: () => sessionStorage.getItem('quire.token'),
    cookie: () => document.cookie,
    server: async () => (await fetch('/health')).status,
    picture: () => new Promise((resolve, reject) => { const i = new Image(); i.onload = () => resolve('loaded'); i.onerror = () => reject(new Error('refused')); i.src = '/ui/icon.svg' }),
    popup: () => { if (!open('about:blank')) throw new Error('refused'); return 'opened' },
  }
  for (const [name, attempt] of Object.entries(attempts)) {
    try { got.push(name + '=' + await attempt()) } catch (error) { got.push(name + ' refused') }
  }
  document.getElementById('said').textContent = got.join(', ')
})()
</script>`
export const REFUSED =
  'page refused, top refused, away refused, storage refused, cookie refused, server refused, picture refused, popup refused'

const data = (bundle: Record<string, unknown>) => ({
  output_type: 'display_data',
  data: bundle,
  metadata: {},
})
const cell = (source: string, outputs: readonly unknown[]) => ({
  id: crypto.randomUUID().slice(0, 8),
  cell_type: 'code',
  source,
  metadata: { trusted: true },
  execution_count: 1,
  outputs,
})

export const hostileCells = [
  cell('show(html)', [data({ 'text/html': ATTACK })]),
  cell('show(script)', [
    data({
      'application/javascript':
        'document.body.textContent = "ran " + (() => { try { return parent.document.title } catch { return "kept inside" } })()',
    }),
  ]),
  cell(`print(${HOSTILE})`, [
    { output_type: 'stream', name: 'stdout', text: `${'x'.repeat(10_000)}\n${HOSTILE}` },
    data({ 'text/plain': HOSTILE }),
    data({ 'image/svg+xml': SVG, 'text/plain': HOSTILE }),
    data({ 'text/markdown': `${HOSTILE}\n\n[link](javascript:top.quireTaken=5) $${HOSTILE}$` }),
    data({ 'text/latex': `$${HOSTILE}$` }),
    data({ 'application/json': { key: HOSTILE } }),
    { output_type: 'error', ename: HOSTILE, evalue: HOSTILE, traceback: [HOSTILE] },
    { output_type: 'error', ename: '', evalue: '', traceback: [{ toString: 1, valueOf: 1 }] },
    data({ 'application/vnd.unknown': HOSTILE }),
    { output_type: 'nonsense' },
    'no output at all',
  ]),
  cell('show(flood)', [
    data({
      'text/html':
        '<script>setInterval(() => { for (let n = 0; n < 2000; n += 1) parent.postMessage({ type: "quire/height", height: n }, "*") }, 20)</script>',
    }),
  ]),
]

const ROWS = [1, 2, 3]
  .map((row) => `<tr><th>${row - 1}</th><td>${row}</td><td>${row * row}</td></tr>`)
  .join('')
/** As pandas writes them. */
const TABLE = `<div>
<style scoped>
    .dataframe tbody tr th:only-of-type { vertical-align: middle; }
    .dataframe thead th { text-align: right; }
</style>
<table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>n</th><th>n²</th></tr></thead><tbody>${ROWS}</tbody></table>
<p>3 rows × 2 columns</p></div>`
/** Higher than a frame is at first, and lower when it is asked to. */
const PANEL = `<div id="panel" style="height:280px;background:linear-gradient(#eef2ff,#c7d2fe);border-radius:8px;padding:12px">
<button onclick="document.getElementById('panel').style.height='60px'">smaller</button></div>`

export const tour = [
  {
    id: 'intro',
    cell_type: 'markdown',
    metadata: {},
    source:
      '# Squares and colours\n\nA **short** tour of what cells bring, with $a_i^2 + b_i^2$ in it:\n\n- text with the colours of a terminal\n- tables, pictures, failures',
  },
  cell(
    'import math\n\ndef area(radius: float) -> float:\n    """Of a circle."""\n    return math.pi * radius ** 2  # as ever\n\nfor n in range(500):\n    print("line", n)',
    [
      {
        output_type: 'stream',
        name: 'stdout',
        text: Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join(''),
      },
      {
        output_type: 'stream',
        name: 'stdout',
        text: '\u001b[32mpassed\u001b[0m and \u001b[1;31mfailed\u001b[0m\n',
      },
      { output_type: 'stream', name: 'stderr', text: 'a warning\n' },
    ],
  ),
  cell('table', [data({ 'text/html': TABLE }), data({ 'text/html': PANEL })]),
  cell('picture', [
    data({ 'image/svg+xml': SVG, 'text/plain': 'A banner' }),
    data({ 'image/png': `${PIXEL}\n`, 'text/plain': ['One', ' pixel'] }),
  ]),
  cell('1 / 0', [
    {
      output_type: 'error',
      ename: 'ZeroDivisionError',
      evalue: 'division by zero',
      traceback: ['\u001b[31mZeroDivisionError\u001b[39m: division by zero'],
    },
  ]),
  cell('integral', [data({ 'text/latex': '$\\displaystyle \\int_0^1 x^2 \\, dx$', 'text/plain': '1/3' })]),
]
