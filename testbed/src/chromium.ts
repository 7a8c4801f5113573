import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Chromium's engine without windows: a tab costs a quarter of the time that the whole browser needs. */
const EXECUTABLE = '/usr/bin/chromium-headless-shell'
/** Without its sandbox a browser also starts as root, and nothing of its own goes to the network. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The machine's own browser, without a window. The caller closes it. */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(
      `The tests need a browser at ${EXECUTABLE}. Install Debian's package: apt-get install chromium-headless-shell`,
    )
  }
  return chromium.launch({ executablePath: EXECUTABLE, args: SWITCHES })
}
