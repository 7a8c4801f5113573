#!/usr/bin/env node
// The launcher is plain JavaScript, so that any Node can read it. The program behind it needs Node 22.18: on an older one the launcher starts itself
// again on the Node that is installed beside it.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2] ?? '')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${version}\n`)
} else if (major > 22 || (major === 22 && minor >= 18)) {
  module.enableCompileCache()
  const source = new URL('../src/main.ts', import.meta.url)
  await import(existsSync(source) ? source.href : new URL('../src/main.js', import.meta.url).href)
} else {
  startOn(findNode())
}

function findNode() {
  const name = `node-${process.platform}-${process.arch}/bin/node`
  try {
    return module.createRequire(import.meta.url).resolve(name)
  } catch {
    process.stderr.write(
      `quire: Node ${process.version} is too old. Install Node 22.18 or newer, or run "npm start" in a clone, which brings one.\n`,
    )
    return process.exit(1)
  }
}

function startOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.on('SIGHUP', () => child.kill('SIGHUP'))
  // Ctrl-C on a terminal reaches both of us: sent on, it would count as the second one, which ends at once.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1)
  })
}
