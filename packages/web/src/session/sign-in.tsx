import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { isToken, wasTokenRefused, writeToken } from './token.ts'

const REFUSED = 'This token is not taken here. It may be an old one, or of another server.'
const IMPOSSIBLE = 'This is no token: a token has letters, digits and the signs - . _ ~ + / alone.'

/** The one page that asks for a token. It stays in this tab, and is gone with it. */
export function SignIn() {
  const [token, setToken] = useState('')
  const [fault, setFault] = useState(() => (wasTokenRefused() ? REFUSED : undefined))
  useEffect(() => {
    document.title = 'Sign in · Quire'
  }, [])
  function submit(event: FormEvent): void {
    event.preventDefault()
    const typed = token.trim()
    if (isToken(typed)) writeToken(typed)
    else setFault(IMPOSSIBLE)
  }
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        onSubmit={submit}
        className="flex w-full max-w-sm flex-col gap-5 rounded-lg border bg-surface p-6"
      >
        <div className="flex flex-col gap-2">
          <img src="icon.svg" alt="" className="-ml-1 size-8" />
          <h1 className="text-xl font-semibold">Quire asks for its token</h1>
          <p className="text-sm text-quiet">
            The address that Quire printed at its start brings it along. Or run <code>quire token where</code>
            : it names the file that holds the token.
          </p>
        </div>
        <div aria-live="polite">
          <Field label="Token" hint="Kept in this tab, and gone with it" error={fault}>
            {(ids) => (
              <TextInput
                {...ids}
                type="password"
                autoComplete="off"
                spellCheck={false}
                autoFocus
                value={token}
                onChange={(event) => {
                  setToken(event.target.value)
                  setFault(undefined)
                }}
              />
            )}
          </Field>
        </div>
        <Button type="submit" kind="primary" disabled={token.trim() === ''}>
          Go in
        </Button>
      </form>
    </main>
  )
}
