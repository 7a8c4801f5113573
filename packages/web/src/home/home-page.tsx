import { Page } from '../ui/page.tsx'
import { hasFirstMinute } from './beginning.ts'
import { FirstMinute } from './first-minute.tsx'
import { Overview } from './overview.tsx'

export function HomePage() {
  return (
    <Page title="Welcome to Quire" note="Agents that work in live notebooks, alone or as a team.">
      {hasFirstMinute && <FirstMinute />}
      <Overview />
    </Page>
  )
}
