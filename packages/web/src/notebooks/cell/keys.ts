export interface KeyGroup {
  readonly title: string
  /** Each with the keys that do it. */
  readonly keys: readonly (readonly [keys: readonly string[], does: string])[]
}

/** What the page knows, as the help shows it. */
export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Everywhere in a cell',
    keys: [
      [['Shift + Enter'], 'Run it, and go to the next'],
      [['Ctrl + Enter', '⌘ + Enter'], 'Run it, and stay'],
      [['Ctrl + Z', '⌘ + Z'], 'Undo; with Shift, redo'],
    ],
  },
  {
    title: 'While you write',
    keys: [
      [['Escape'], 'Leave the text; the cell stays chosen'],
      [['Tab'], 'Indent code; with Shift, back'],
    ],
  },
  {
    title: 'When a cell is chosen',
    keys: [
      [['Enter'], 'Write in it'],
      [['↑', 'K'], 'To the cell above'],
      [['↓', 'J'], 'To the cell below'],
      [['A'], 'New cell above'],
      [['B'], 'New cell below'],
      [['D, D'], 'Delete it'],
      [['Z'], 'Undo'],
      [['M'], 'Make it text'],
      [['Y'], 'Make it code'],
      [['?', 'H'], 'Show these keys'],
    ],
  },
]
