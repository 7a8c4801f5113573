import { Dialog } from '../../ui/dialog.tsx'
import { KEY_GROUPS } from './keys.ts'

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {KEY_GROUPS.map(({ title, keys }) => (
        <section key={title} aria-label={title}>
          <h3 className="pb-2 text-sm font-medium text-quiet">{title}</h3>
          <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] sm:grid-cols-[13rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2 text-sm">
            {keys.map(([names, does]) => (
              <div key={does} className="contents">
                <dt className="flex flex-wrap gap-1">
                  {names.map((name) => (
                    <kbd
                      key={name}
                      className="rounded border bg-raised px-1.5 py-0.5 font-mono text-xs whitespace-nowrap"
                    >
                      {name}
                    </kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
