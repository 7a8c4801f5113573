/** Who a client of ours says that it is. */
export interface ClientName {
  readonly name: string
  readonly title?: string | undefined
}

/** Pages of ours are in the room themselves, each under the name of whoever looks at it. */
const PAGE = 'quire-web'
/** Who asks through these is not known by their names. */
const BETWEEN = /^quire-/
const UNNAMED = 'Agent'
const LONGEST_NAME = 60
/** Characters that are not seen could make a name read as another one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** The name that others in a live document see; undefined where nobody is to be shown. */
export function authorOf(client: ClientName | undefined): string | undefined {
  if (client?.name === PAGE) return undefined
  const given = client?.title ?? client?.name ?? ''
  const name = [...given.replaceAll(UNSEEN, ' ').trim()].slice(0, LONGEST_NAME).join('')
  return name === '' || BETWEEN.test(name) ? UNNAMED : name
}

/** As JupyterLab shows people, in the list of who is there and beside a notebook that is open. */
export function userOf(name: string) {
  const initials = name
    .split(' ')
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  return {
    username: 'quire-agent',
    name,
    display_name: name,
    initials,
    color: 'var(--jp-collaborator-color1)',
    avatar_url: null,
  }
}
