import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { readConfigFile } from '@quire/composer/config/read-config-file'
import { parse } from 'smol-toml'
import { expect, onTestFinished, test } from 'vitest'
import { runDiscover } from './discover.ts'

test('prints what the clients of a real home know, and warns of what it cannot read', async () => {
  const { stdout, stderr, home } = await discoverIn({
    '.cursor/mcp.json': '{"mcpServers": {"first": {"command": "npx", "env": {"TOKEN": "hush-hush"}}}}',
    '.codex/config.toml': '[mcp_servers.second]\nurl = "https://example.org/mcp"\n',
    '.gemini/settings.json': '{ broken',
    'project/.mcp.json': '{"mcpServers": {"third": {"command": "uvx", "args": ["some-server"]}}}',
  })
  expect(parse(stdout)).toEqual({
    servers: {
      proxied: {
        stdio: [
          { name: 'third', command: ['uvx', 'some-server'] },
          { name: 'first', command: ['npx'], env: { TOKEN: `\${FIRST_TOKEN}` } },
        ],
        'streamable-http': [{ name: 'second', url: 'https://example.org/mcp' }],
      },
    },
  })
  expect(stderr).toBe(
    `warning: ${join(home, '.gemini/settings.json')}: cannot be read, or is no JSON; it is left out.\n`,
  )
  expect(stdout + stderr).not.toContain('hush-hush')
})

test('what it prints is a configuration', async () => {
  const { stdout, home } = await discoverIn({
    '.cursor/mcp.json': JSON.stringify({
      mcpServers: {
        'my server': { command: 'npx', args: ['--cost', '$5'], env: { TOKEN: 'hush-hush' } },
        web: { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer hush-hush' } },
        old: { url: 'https://example.org/sse', disabled: true },
      },
    }),
  })
  const file = join(home, 'quire.toml')
  await writeFile(file, stdout)
  const environment = { MY_SERVER_TOKEN: 'one', WEB_AUTHORIZATION: 'two' }
  const { config } = await readConfigFile(file, { environment })
  expect(config.servers).toMatchObject([
    { name: 'my-server', command: ['npx', '--cost', '$5'], env: { TOKEN: 'one' } },
    { name: 'web', transport: 'http', headers: { Authorization: 'two' } },
  ])
})

test('says so when there is nothing, in a way that is TOML still', async () => {
  const { stdout, stderr } = await discoverIn({})
  expect(parse(stdout)).toEqual({})
  expect(stdout).toContain('No MCP client')
  expect(stderr).toBe('')
})

async function discoverIn(files: Readonly<Record<string, string>>) {
  const home = await mkdtemp(join(tmpdir(), 'quire-discover-'))
  onTestFinished(() => rm(home, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), text)
  }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  await runDiscover({ platform: 'linux', env: {}, cwd: () => join(home, 'project'), stdout, stderr }, home)
  stdout.end()
  stderr.end()
  return { home, stdout: await collect(stdout), stderr: await collect(stderr) }
}

async function collect(stream: PassThrough): Promise<string> {
  return (await stream.setEncoding('utf8').toArray()).join('')
}
