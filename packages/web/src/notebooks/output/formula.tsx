/** TeX is shown as it is written: to set it takes styles that the page's policy refuses. */
export function Formula({ tex }: { readonly tex: string }) {
  const bare = tex
    .trim()
    .replace(/^(\${1,2})([\s\S]*)\1$/, '$2')
    .replace(/^\s*\\displaystyle\s*/, '')
    .trim()
  return (
    <pre dir="ltr" className="font-mono text-[0.9375rem]/6 wrap-anywhere whitespace-pre-wrap text-accent">
      {bare}
    </pre>
  )
}
