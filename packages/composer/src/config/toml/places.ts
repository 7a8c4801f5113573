import type { Layout, LayoutNode, Section } from './layout.ts'

/** What stands where, by path. */
export interface Places {
  readonly nodes: ReadonlyMap<string, LayoutNode>
  /** Those that stand on lines of their own. */
  readonly entries: ReadonlySet<LayoutNode>
  readonly sections: ReadonlyMap<string, Section>
  /** Tables that dotted keys make, with the last of those keys. */
  readonly dotted: ReadonlyMap<string, { readonly section: Section; readonly node: LayoutNode }>
}

export function indexPlaces(layout: Layout): Places {
  const nodes = new Map<string, LayoutNode>()
  const dotted = new Map<string, { section: Section; node: LayoutNode }>()
  const addNode = (node: LayoutNode) => {
    nodes.set(JSON.stringify(node.path), node)
    node.children.forEach(addNode)
  }
  for (const section of layout.sections) {
    for (const node of section.nodes) {
      addNode(node)
      for (let length = node.path.length - 1; length > section.path.length; length -= 1)
        dotted.set(JSON.stringify(node.path.slice(0, length)), { section, node })
    }
  }
  return {
    nodes,
    entries: new Set(layout.sections.flatMap((section) => section.nodes)),
    sections: new Map(layout.sections.map((section) => [JSON.stringify(section.path), section])),
    dotted,
  }
}
