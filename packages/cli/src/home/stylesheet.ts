export const stylesheet = `
:root { color-scheme: light dark; --ink: #1c1b19; --paper: #faf8f4; --card: #fff; --line: #e2ddd3; --soft: #6b665c; --good: #2c7a4b; --link: #1f5f99; }
@media (prefers-color-scheme: dark) { :root { --ink: #ece8e0; --paper: #191816; --card: #22211e; --line: #38352f; --soft: #a49e92; --good: #6cc08b; --link: #8cbdea; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { margin: 0; font: 600 2.5rem/1.1 Georgia, serif; letter-spacing: -0.02em; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1rem; text-transform: uppercase; letter-spacing: 0.08em; color: var(--soft); }
h3 { margin: 0; font-size: 1.05rem; }
p { margin: 0.25rem 0 0; }
code { margin-left: 0.35rem; font: 0.85em ui-monospace, monospace; color: var(--soft); }
a { color: var(--link); }
.lead { margin: 0.5rem 0 1.25rem; font-size: 1.125rem; color: var(--soft); }
.dot { display: inline-block; width: 0.6rem; height: 0.6rem; border-radius: 50%; background: var(--good); }
.services { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 0.75rem; margin: 0; padding: 0; list-style: none; }
.services li { padding: 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); }
.state { font-size: 0.875rem; color: var(--soft); }
.state.running { color: var(--good); }
.foot { margin-top: 2rem; font-size: 0.875rem; color: var(--soft); }
`
