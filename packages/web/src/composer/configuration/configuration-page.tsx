import { Asked } from '../../ui/asked.tsx'
import { Page } from '../../ui/page.tsx'
import { ConfigEditor } from './config-editor.tsx'
import { useConfigText } from './config-queries.ts'

export function ConfigurationPage() {
  const query = useConfigText()
  return (
    <Page
      title="Configuration"
      note="The composer's file. Secrets are masked; a mask that stays keeps what is behind it."
    >
      <Asked query={query} what="the configuration">
        {(saved) => <ConfigEditor saved={saved} />}
      </Asked>
    </Page>
  )
}
