import type { Logger } from '@quire/kit/log'
import type { Access } from './access.ts'
import { toUrl } from './address.ts'
import type { Exchange } from './exchange.ts'
import { logIn } from './login.ts'
import { createOpenAccess } from './open-access.ts'
import { createPasswordAccess } from './password-access.ts'
import { createTokenAccess } from './token-access.ts'

export interface Credentials {
  readonly token: string | undefined
  readonly password: string | undefined
}

/** The password beats the token, which is then never sent. */
export function chooseAccess({ token, password }: Credentials, exchange: Exchange, logger: Logger): Access {
  const { base, callFor, visit } = exchange
  if (password !== undefined) {
    if (token !== undefined) {
      logger.warn(
        { url: base },
        'a password and a token are configured for this notebook server: the password is used, the token is ignored',
      )
    }
    return createPasswordAccess(() => logIn(password, exchange))
  }
  if (token !== undefined) return createTokenAccess(token, logger)
  return createOpenAccess(async (session) => {
    const url = toUrl(base, [])
    session.absorb(await visit(callFor('GET', url), { headers: session.headers('GET', url) }), url)
  }, logger)
}
