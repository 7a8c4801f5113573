import { Link } from '@tanstack/react-router'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/state.tsx'

export function Unknown() {
  return (
    <Page title="Nothing is here">
      <Empty title="This address names no page.">
        It may be of something that was deleted.{' '}
        <Link to="/" className="underline">
          Go to the first page
        </Link>
        .
      </Empty>
    </Page>
  )
}
