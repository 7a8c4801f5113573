#!/usr/bin/env node
// The launcher is plain JavaScript, so that any Node can read it. The program behind it needs Node 22.18: on an older one the launcher starts itself
// again on the Node that is installed beside it.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Tells the second of us what its channel is for: others who start programs have channels, too. */
const LAUNCHED = 'QUIRE_LAUNCHED'
const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2] ?? '')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${version}\n`)
} else if (major > 22 || (major === 22 && minor >= 18)) {
  followLauncher()
  module.enableCompileCache()
  const source = new URL('../src/main.ts', import.meta.url)
  await import(existsSync(source) ? source.href : new URL('../src/main.js', import.meta.url).href).catch(
    reportMissing,
  )
} else {
  startOn(findNode())
}

/** The kernel closes the channel when the first of us is gone, `kill -9` included: then nobody is left who could stop us. */
function followLauncher() {
  if (process.env[LAUNCHED] === undefined) return
  delete process.env[LAUNCHED]
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel?.unref()
}

function findNode() {
  const name = `node-${process.platform}-${process.arch}/bin/node`
  try {
    return module.createRequire(import.meta.url).resolve(name)
  } catch {
    process.stderr.write(
      `quire: Node ${process.versions.node} is too old, and the one that comes along is not installed: run "npm install" in ${ROOT} once, or install Node 22.18 or newer.\n`,
    )
    return process.exit(1)
  }
}

/** What a command finds missing later is for it to tell. */
function reportMissing(error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
  const [, name] = /Cannot find package '([^']+)'/.exec(error.message) ?? []
  if (name === undefined) throw error
  process.stderr.write(
    `quire: the package ${name} is not installed: run "npm install" in ${ROOT} once, which installs all that is needed.\n`,
  )
  process.exitCode = 1
}

function startOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    env: { ...process.env, [LAUNCHED]: '1' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.on('SIGHUP', () => child.kill('SIGHUP'))
  // Ctrl-C on a terminal reaches both of us: sent on, it would count as the second one, which ends at once.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1)
  })
}
