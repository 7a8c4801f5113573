/** Of the text that says which keys there are: every editor refers to it. */
export const KEYS_ID = 'notebook-keys'

export function KeysHint({ onShow }: { readonly onShow: () => void }) {
  return (
    <p className="text-xs text-quiet">
      <span id={KEYS_ID}>Shift+Enter runs a cell and goes on. Escape leaves the text, and then ? shows </span>
      <button type="button" className="underline underline-offset-2 hover:text-ink" onClick={onShow}>
        all keys
      </button>
      .
    </p>
  )
}
