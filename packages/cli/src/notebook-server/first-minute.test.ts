import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createUpFolder, TOKEN, type UpFolder } from './up.fixture.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

let folder: UpFolder
beforeEach(async () => {
  folder = await createUpFolder()
})
afterEach(() => folder.remove())

test('the first minute of the README shows what it says, without Jupyter and without a key', async () => {
  const readme = await readFile(`${ROOT}/README.md`, 'utf8')
  const section = readme.split(/^## /m).find((part) => part.startsWith('The first minute')) ?? ''
  const [script = ''] = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  const [film = ''] = [...section.matchAll(/^```text\n(.*?)^```/gms)].map(([, block = '']) => block)
  const { url } = await folder.start()
  const output = run(
    script
      .replaceAll('http://127.0.0.1:7878', url)
      .replace(/^TOKEN=.*$/m, `TOKEN=${TOKEN}`)
      .replaceAll('answer.json', `${folder.path}/answer.json`)
      .replace('npx node', JSON.stringify(process.execPath)),
  )
  await expect.poll(() => output.text, { timeout: 60_000, interval: 100 }).toBe(film)
})

/** Until the test is over, with all that it has left in the background. */
function run(script: string): { text: string } {
  const child = spawn('bash', ['-c', `${script}\nwait`], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = { text: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.text += text
  })
  onTestFinished(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  return output
}
