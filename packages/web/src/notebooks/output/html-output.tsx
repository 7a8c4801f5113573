import { SandboxFrame } from '../../ui/sandbox-frame.tsx'

export interface HtmlOutputProps {
  readonly html: string
}

/** Of what has no look of its own, such as the tables of pandas. */
const STYLE = `<!doctype html><style>
:root{--ink:light-dark(#20242c,#eceef2);--quiet:light-dark(#5b6270,#a6adba);--line:light-dark(#dfe2e8,#3d4350);--raised:light-dark(#f3f4f7,#2b303b)}
body{margin:0;padding:4px 2px;font:14px/1.5 system-ui,sans-serif;color:var(--ink)}
table{border-collapse:collapse;border:0;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:4px 12px;border:0;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
thead th{color:var(--quiet);font-weight:600}
tbody th{font-weight:500;color:var(--quiet)}
tbody tr:hover{background:var(--raised)}
a{color:light-dark(#4338ca,#a5b4fc)}
p{margin:6px 0}
pre{white-space:pre-wrap}
img,svg{max-width:100%}
</style>`
const PAPER_STYLE = STYLE.replace('padding:4px 2px', 'padding:8px')
const OWN_COLOURS =
  /<script|<svg|<canvas|<iframe|\b(?:bg)?color\s*[:=]|\bbackground\s*[:=]|\bbackground-image\s*:/i

/** What was drawn in colours of its own was drawn for white paper. */
export function HtmlOutput({ html }: HtmlOutputProps) {
  const isDrawn = OWN_COLOURS.test(html)
  const style = isDrawn ? PAPER_STYLE : STYLE
  return <SandboxFrame html={style + html} title="Output of the cell" look={isDrawn ? 'paper' : 'page'} />
}

export function ScriptOutput({ script }: { readonly script: string }) {
  return <HtmlOutput html={`<body><script>${script.replaceAll('</', '<\\/')}</script>`} />
}

/** In a frame as well: a few lines of it can take minutes to draw, which as a picture the page itself would wait for. */
export function SvgOutput({ svg, title }: { readonly svg: string; readonly title: string }) {
  return <SandboxFrame html={PAPER_STYLE + svg} title={title} look="paper" />
}
