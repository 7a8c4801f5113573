import { openEmbeddedLink } from './embedded-link.ts'
import type { OpenLink } from './link.ts'
import { openPipeLink } from './pipe-link.ts'
import { openRemoteLink } from './remote-link.ts'

export const openLink: OpenLink = (definition, options) => {
  switch (definition.transport) {
    case 'stdio': {
      const { name, env, workingDir: cwd } = definition
      const [command, ...args] = definition.command
      return openPipeLink(name, { type: 'stdio', command, args, env, cwd }, options)
    }
    case 'http':
    case 'sse':
      return openRemoteLink(definition, options)
    case 'embedded':
    case 'built-in':
      return openEmbeddedLink(definition, options)
  }
}
