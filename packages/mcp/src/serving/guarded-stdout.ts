import { Writable } from 'node:stream'

/** The way to the real stdout, while all that others write there goes to stderr: one careless `console.log` would break the protocol. */
export interface GuardedStdout {
  readonly protocol: Writable
  release(): void
}

export function guardStdout(stdout: Writable, stderr: Writable): GuardedStdout {
  const write = stdout.write
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void Reflect.apply(write, stdout, [chunk, encoding, done]),
  })
  const fail = (error: Error) => protocol.destroy(error)
  stdout.on('error', fail)
  stdout.write = stderr.write.bind(stderr)
  return Object.freeze({
    protocol,
    release() {
      stdout.write = write
    },
  })
}
