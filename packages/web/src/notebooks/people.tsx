import { Bot } from 'lucide-react'
import { useState } from 'react'
import { Field, TextInput } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { writeOwnName } from './live/own-name.ts'
import { colourOf, type Person } from './live/person.ts'

export interface PeopleProps {
  readonly people: readonly Person[]
  /** With those who are not in the list. */
  readonly total: number
  readonly onRename: (name: string) => void
}

const MOST_SHOWN = 6
const FACE =
  'grid size-8 place-items-center rounded-full border-2 border-ground text-xs font-semibold text-white'

/** Who has the notebook open. One's own name can be changed there. */
export function People({ people, total, onRename }: PeopleProps) {
  const [isRenaming, setRenaming] = useState(false)
  const self = people.find(({ isSelf }) => isSelf)
  const others = people.filter(({ isSelf }) => !isSelf)
  return (
    <>
      <ul aria-label="Who is here" className="flex items-center -space-x-1.5">
        {others.slice(0, MOST_SHOWN).map((person) => (
          <li
            key={person.id}
            title={person.name}
            className={FACE}
            style={{ backgroundColor: colourOf(person) }}
          >
            <span className="sr-only">{person.name}</span>
            {person.isAgent ? <Bot aria-hidden className="size-4" /> : <Initials name={person.name} />}
          </li>
        ))}
        {others.length > MOST_SHOWN && (
          <li className="px-3 text-sm text-quiet">and {(total - 1 - MOST_SHOWN).toLocaleString()} more</li>
        )}
        {self && (
          <li>
            <button
              type="button"
              aria-label={`${self.name} (you): change your name`}
              title={`${self.name} (you)`}
              className={FACE}
              style={{ backgroundColor: colourOf(self) }}
              onClick={() => setRenaming(true)}
            >
              <Initials name={self.name} />
            </button>
          </li>
        )}
      </ul>
      {isRenaming && (
        <RenameDialog
          name={self?.name ?? ''}
          onClose={() => setRenaming(false)}
          onRename={(name) => {
            writeOwnName(name)
            onRename(name)
          }}
        />
      )}
    </>
  )
}

/** Drawn, not written: who it is stands beside it in full. */
function Initials({ name }: { readonly name: string }) {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const letters = words.map((word) => [...word][0] ?? '')
  const initials = (letters[0] ?? '') + (letters.length > 1 ? letters.at(-1) : '')
  return <span aria-hidden data-initials={initials} className="before:content-[attr(data-initials)]" />
}

interface RenameDialogProps {
  readonly name: string
  readonly onClose: () => void
  readonly onRename: (name: string) => void
}

function RenameDialog({ name, onClose, onRename }: RenameDialogProps) {
  const [next, setNext] = useState(name)
  function send(): void {
    onRename(next.trim())
    onClose()
  }
  return (
    <FormDialog
      title="Your name"
      action="Use this name"
      isUnsent={next !== name}
      isComplete={next.trim() !== ''}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Name" hint="Others who have the notebook open see it.">
        {(ids) => (
          <TextInput {...ids} maxLength={60} value={next} onChange={(event) => setNext(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  )
}
