import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { isThere } from './is-there.ts'

const PAUSE_MS = 1_000

/** A page that is loaded when it is first shown. */
export function lazyPage<Module extends Record<string, unknown>>(
  root: AnyRoute,
  path: string,
  load: () => Promise<Module>,
  name: keyof Module & string,
): AnyRoute {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => loadPatiently(load), name),
  })
}

/** While the server is away the page before stays: the router would load it all anew, and find nothing. */
async function loadPatiently<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let wasThere = false; ; ) {
    try {
      return await load()
    } catch (error) {
      // Of another version, then: what is loaded anew finds it.
      if (wasThere) throw error
      wasThere = await isThere()
      if (!wasThere) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
