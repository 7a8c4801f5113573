import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@quire/kit/log'
import { readUiFiles, type UiFiles } from '@quire/kit/ui/ui-files'

/** Beside the sources of a distribution, and where a clone builds them. */
const PLACES = ['../web', '../../web/dist'].map((path) => join(import.meta.dirname, path))

/** The pages of the web UI. Everything works without them, so a clone that has not built them only says so. */
export async function readWebPages(logger: Logger): Promise<UiFiles | undefined> {
  try {
    return await readUiFiles(PLACES.find((place) => existsSync(join(place, 'index.html'))) ?? '')
  } catch (error) {
    logger.warn(
      { err: error },
      'the web pages are not built, so none are served: "npm run build" builds them',
    )
    return undefined
  }
}
