import { verifies } from '@quire/spec/verifies'
import { afterEach, describe, expect, test } from 'vitest'
import type { RestartSettings } from '../server-definition.ts'
import { closeStage, define, END, settle, startFault, superviseTestLinks } from './links.fixture.ts'

let stage = superviseTestLinks()
afterEach(async () => {
  await closeStage(stage)
  stage = superviseTestLinks()
})

function restart(policy: RestartSettings['policy'], extra: Partial<RestartSettings> = {}) {
  return { restart: { policy, maxRestarts: undefined, delayMs: undefined, ...extra } }
}

describe('applying', () => {
  test('leaves what is the same alone, and starts, restarts and stops the rest, in order', async () => {
    await stage.apply(define('same'), define('changed'), define('removed'))
    const [same, changed, removed] = ['same', 'changed', 'removed'].map((name) => stage.latest(name))
    const sameServer = stage.server('same')
    const changes = await stage.apply(define('new'), define('changed', { env: { A: '1' } }), define('same'))
    expect(changes).toEqual({
      added: ['new'],
      removed: ['removed'],
      changed: ['changed'],
      unchanged: ['same'],
    })
    expect(stage.supervisor.servers().map(({ name }) => name)).toEqual(['new', 'changed', 'same'])
    expect(stage.server('same')).toBe(sameServer)
    expect(stage.server('same').link()).toBe(same)
    expect(changed?.isClosed).toBe(true)
    expect(stage.server('changed').link()).toBe(stage.latest('changed'))
    expect(stage.server('changed').definition).toMatchObject({ env: { A: '1' } })
    expect(removed?.isClosed).toBe(true)
    expect(stage.supervisor.find('removed')).toBeUndefined()
    expect(stage.states('removed').at(-1)).toBe('stopped')
  })

  test('clears the crash limit', async () => {
    verifies('CO-SUP-10')
    stage.behave('a', { open: () => Promise.reject(startFault('ended')) })
    await stage.apply(define('a'))
    await stage.clock.pass(600_000)
    expect(stage.attempts()).toBe(5)
    await stage.apply(define('a'))
    await stage.clock.pass(600_000)
    expect(stage.attempts()).toBe(10)
  })

  test('a policy of "never" leaves a server down over a reload', async () => {
    verifies('CO-SUP-11')
    await stage.apply(define('a', restart('never')))
    stage.latest('a').exit()
    await stage.apply(define('a', restart('never')))
    expect(stage.server('a').status().state).toBe('crashed')
  })

  test('a server that comes back under its name waits for its predecessor', async () => {
    const gone = Promise.withResolvers<void>()
    stage.behave('a', { close: () => gone.promise })
    await stage.apply(define('a'))
    await stage.apply()
    await stage.apply(define('a'))
    expect(stage.attempts()).toBe(1)
    gone.resolve()
    await settle()
    expect(stage.attempts()).toBe(2)
    expect(stage.server('a').status().state).toBe('running')
  })

  test('one that was started by hand goes on with its new definition', async () => {
    await stage.apply(define('a', { autoStart: false }))
    await stage.server('a').start()
    await stage.apply(define('a', { autoStart: false, env: { A: '1' } }))
    expect(stage.server('a').status().state).toBe('running')
    expect(stage.attempts()).toBe(2)
  })

  test('a removed server cannot be started any more', async () => {
    await stage.apply(define('a'))
    const removed = stage.server('a')
    await stage.apply()
    await expect(removed.start()).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' })
    await expect(removed.use(AbortSignal.timeout(1000))).rejects.toMatchObject({ code: 'SERVER_NOT_RUNNING' })
  })

  test('two servers of one name are refused before anything happens', async () => {
    await stage.apply(define('a'))
    await expect(stage.apply(define('b'), define('b'))).rejects.toThrow('"b"')
    expect(stage.server('a').status().state).toBe('running')
  })
})

test('closing ends everything at once, whatever it was doing', async () => {
  stage.behave('starting', {
    open: (_link, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  stage.behave('broken', { close: () => Promise.reject(new Error('no')) })
  await stage.apply(
    define('starting'),
    define('running'),
    define('broken'),
    define('waiting'),
    define('stopped'),
  )
  await stage.server('stopped').stop()
  stage.latest('waiting').exit(END)
  await settle()
  await Promise.all([stage.supervisor.close(), stage.supervisor.close()])
  expect(stage.supervisor.servers().map((server) => server.status().state)).toEqual(Array(5).fill('stopped'))
  expect(stage.links.every((link) => link.isClosed)).toBe(true)
  await expect(stage.apply(define('a'))).rejects.toThrow('closed')
})
