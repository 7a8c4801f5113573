/**
 * What a page of ours shows content in that it does not trust: HTML of notebooks, plots, apps of tools. The policy makes its origin nobody's, so that it can
 * run its scripts and reach neither the page round it, nor storage, nor send a request. What browsers have no policy for (WebRTC in a frame of its own making,
 * looking up a name to go to) is left: see SECURITY.md.
 */
export const FRAME_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' data: blob:",
  "style-src 'unsafe-inline' data:",
  'img-src data: blob:',
  'font-src data:',
  'media-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/**
 * Waits for `{type: 'quire/show', html, scheme?}` from the page round it, becomes that document, and tells its height from then on. `scheme` (light or dark)
 * is the one that the document is drawn in; `{type: 'quire/scheme', scheme}` changes it later.
 */
export const FRAME_PAGE = `<!doctype html>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Content of somebody else's</title>
<script>
// No policy of browsers keeps it from sending packets.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete window[name]
addEventListener('message', function show({ source, data }) {
  if (source !== parent || data?.type !== 'quire/show') return
  removeEventListener('message', show)
  document.open()
  document.write(data.html)
  document.close()
  const root = document.documentElement
  const draw = ({ scheme }) => {
    if (scheme === 'light' || scheme === 'dark') root.style.colorScheme = scheme
  }
  draw(data)
  addEventListener('message', (event) => {
    if (event.source === parent && event.data?.type === 'quire/scheme') draw(event.data)
  })
  // What does not overflow may be lower than the frame, which only its box tells, and without a doctype nothing does.
  const isStandard = document.compatMode === 'CSS1Compat'
  const tell = () => {
    const isLower = isStandard && root.scrollHeight <= root.clientHeight
    const height = isLower ? Math.ceil(root.getBoundingClientRect().height) : root.scrollHeight
    const scrollbar = isStandard ? innerHeight - root.clientHeight : 0
    parent.postMessage({ type: 'quire/height', height: height + scrollbar }, '*')
  }
  const watch = new ResizeObserver(tell)
  watch.observe(root)
  if (document.body) watch.observe(document.body)
  tell()
})
parent.postMessage({ type: 'quire/ready' }, '*')
</script>
`
