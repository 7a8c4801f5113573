import { ConfigError } from '@quire/kit/config/config-error'
import { type Listening, type ServeOptions, serve } from '@quire/kit/serve/serve'

export interface ListenConfig {
  readonly host: string
  readonly port: number
  readonly socket?: string | undefined
  readonly tlsCert?: string | undefined
  readonly tlsKey?: string | undefined
  readonly publicUrl?: string | undefined
}

export interface Service {
  readonly fetch: ServeOptions['fetch']
  readonly shortWay?: ServeOptions['shortWay']
  close(): Promise<void>
}

/** Listens as the server settings say. A service that nobody can reach is closed again. */
export async function listen(config: ListenConfig, service: Service): Promise<Listening> {
  const { host, port, socket, tlsCert, tlsKey, publicUrl } = config
  try {
    return await serve({
      fetch: service.fetch,
      shortWay: service.shortWay,
      host,
      port,
      socket,
      ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { certFile: tlsCert, keyFile: tlsKey } }),
      ...(publicUrl !== undefined && { publicUrl }),
    })
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Half a pair would be served in plain text. */
export function assertTlsPair({ tlsCert, tlsKey }: ListenConfig): void {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return
  throw new ConfigError([
    {
      setting: '--tls-cert and --tls-key',
      origin: 'one of them is missing',
      message: 'give both or neither',
    },
  ])
}
