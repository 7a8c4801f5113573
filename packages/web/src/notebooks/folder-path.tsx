import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Fragment } from 'react'

/** The way from the first folder down to this one. */
export function FolderPath({ folder }: { readonly folder: string }) {
  const names = folder === '' ? [] : folder.split('/')
  return (
    <nav aria-label="Folders" className="flex flex-wrap items-center gap-1 text-sm">
      <Link to="/notebooks" search={{}} className="hover:text-ink hover:underline">
        Notebooks
      </Link>
      {names.map((name, index) => {
        const path = names.slice(0, index + 1).join('/')
        return (
          <Fragment key={path}>
            <ChevronRight className="size-3.5" aria-hidden />
            <Link to="/notebooks" search={{ folder: path }} className="hover:text-ink hover:underline">
              {name}
            </Link>
          </Fragment>
        )
      })}
    </nav>
  )
}
