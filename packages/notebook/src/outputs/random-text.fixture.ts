/** The same numbers in every run: a failure can be seen again. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export function pick<Item>(random: (below: number) => number, items: readonly [Item, ...Item[]]): Item {
  return items[random(items.length)] ?? items[0]
}

/** A text of whole characters from all of Unicode, mostly from its beginning. */
export function randomText(random: (below: number) => number, longest: number): string {
  return Array.from({ length: random(longest + 1) }, () => randomCharacter(random)).join('')
}

function randomCharacter(random: (below: number) => number): string {
  const highest = pick(random, [0x80, 0x80, 0x800, 0x1_0000, 0x11_0000])
  const code = random(highest)
  return code >= 0xd800 && code <= 0xdfff ? 'x' : String.fromCodePoint(code)
}
