import { z } from 'zod'
import { isProxyRange } from '../app/client-address.ts'
import { hostName } from '../guard/host.ts'
import { parseOrigin } from '../guard/origin.ts'
import { LOG_LEVELS } from '../log.ts'
import { defineSettings } from './settings.ts'

const port = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must be 0 to 65535')
  .max(65_535, 'must be 0 to 65535')

/** What every service that listens has in common. `prefix` is the one of its environment variables. */
export function serverSettings(options: { readonly prefix: string; readonly port: number }) {
  const env = (name: string) => [`${options.prefix}_${name}`]
  return defineSettings({
    host: {
      flag: 'host',
      value: 'ADDRESS',
      env: env('HOST'),
      schema: z.string().min(1, 'must not be empty').default('127.0.0.1'),
      help: 'address to listen on; one beyond loopback asks for authentication (default 127.0.0.1)',
    },
    port: {
      flag: 'port',
      value: 'PORT',
      env: env('PORT'),
      schema: port.default(options.port),
      help: `port to listen on, 0 for any free one (default ${options.port})`,
    },
    allowedHosts: {
      flag: 'allowed-host',
      value: 'NAME',
      env: env('ALLOWED_HOSTS'),
      list: true,
      schema: z
        .array(
          z
            .string()
            .refine((text) => hostName(text) !== undefined, 'must be a host name without scheme or path'),
        )
        .default([]),
      help: 'answer to this Host too; may be given several times',
    },
    allowedOrigins: {
      flag: 'allowed-origin',
      value: 'ORIGIN',
      env: env('ALLOWED_ORIGINS'),
      list: true,
      schema: z
        .array(
          z
            .string()
            .refine(
              (text) => parseOrigin(text) !== undefined,
              'must be an origin such as https://app.example.org',
            ),
        )
        .default([]),
      help: 'let pages of this origin call; may be given several times',
    },
    publicUrl: {
      flag: 'public-url',
      value: 'URL',
      env: env('PUBLIC_URL'),
      schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
      help: 'the address that clients see, when a proxy stands in front',
    },
    trustedProxies: {
      flag: 'trust-proxy',
      value: 'ADDRESS',
      env: env('TRUST_PROXY'),
      list: true,
      schema: z
        .array(
          z
            .string()
            .refine(isProxyRange, 'is no address of a proxy: give an address or a range such as 10.0.0.0/8'),
        )
        .default([]),
      help: 'believe X-Forwarded-For of this proxy (address or range); may be given several times',
    },
    tlsCert: {
      flag: 'tls-cert',
      value: 'FILE',
      env: env('TLS_CERT'),
      schema: z.string().optional(),
      help: 'serve https with this certificate (PEM)',
    },
    tlsKey: {
      flag: 'tls-key',
      value: 'FILE',
      env: env('TLS_KEY'),
      schema: z.string().optional(),
      help: 'the private key of that certificate (PEM)',
    },
    logLevel: {
      flag: 'log-level',
      value: 'LEVEL',
      env: env('LOG_LEVEL'),
      schema: z
        .string()
        .toLowerCase()
        .pipe(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`))
        .default('info'),
      help: `how much to log: ${LOG_LEVELS.join(', ')} (default info)`,
    },
  })
}
