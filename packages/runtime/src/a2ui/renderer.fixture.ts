import {
  BASIC_COMPONENTS,
  BASIC_FUNCTIONS,
  Catalog,
  MessageProcessor,
  NodeResolver,
  peekValue,
} from '@a2ui/web_core/v0_9'
import { BasicComponent } from './components.ts'
import { A2uiMessage, BASIC_CATALOG } from './messages.ts'

/** The protocol's own renderer without a browser: it takes messages, and shows what a person would see. */
export function createRenderer() {
  const catalog = new Catalog(BASIC_CATALOG, [...BASIC_COMPONENTS], BASIC_FUNCTIONS)
  const actions: unknown[] = []
  const processor = new MessageProcessor([catalog], (action) => void actions.push(action))

  function surfaceOf(surfaceId: string) {
    const surface = processor.model.getSurface(surfaceId)
    if (!surface) throw new Error(`there is no surface ${surfaceId}`)
    return surface
  }

  return {
    actions,
    /** Throws where the renderer, or one of our own schemas, refuses a message. */
    take(messages: readonly unknown[]): void {
      for (const value of messages) {
        const message = A2uiMessage.parse(value)
        if ('updateComponents' in message)
          for (const component of message.updateComponents.components) BasicComponent.parse(component)
        processor.processMessages([JSON.parse(JSON.stringify(value))])
      }
    },
    /** All texts from top to bottom. */
    texts(surfaceId: string): readonly string[] {
      const surface = surfaceOf(surfaceId)
      const resolver = new NodeResolver(surface, surface.catalog)
      const tree = peekValue(resolver.rootNode)?.toJSON()
      resolver.dispose()
      return textsOf(tree)
    },
    buttons: (surfaceId: string): readonly string[] =>
      [...surfaceOf(surfaceId).componentsModel.entries].flatMap(([id, { type }]) =>
        type === 'Button' ? id : [],
      ),
    async press(surfaceId: string, componentId: string): Promise<void> {
      const surface = surfaceOf(surfaceId)
      const action = surface.componentsModel.get(componentId)?.properties.action
      if (!action) throw new Error(`there is nothing to press at ${componentId}`)
      await surface.dispatchAction(action, componentId)
    },
  }
}

function textsOf(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(textsOf)
  if (typeof node !== 'object' || node === null) return []
  const { type, text, ...rest }: { type?: unknown; text?: unknown } = node
  if (type === 'Placeholder') throw new Error(`a component is missing: ${JSON.stringify(node)}`)
  return type === 'Text' ? [String(text ?? '')] : Object.values(rest).flatMap(textsOf)
}
