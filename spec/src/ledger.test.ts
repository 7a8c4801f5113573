import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clauses } from './ledger.ts'

test('no two clauses share an id', () => {
  expect(repeated(clauses.map((clause) => clause.id))).toEqual([])
})

test('no two clauses share a text', () => {
  expect(repeated(clauses.map((clause) => clause.text))).toEqual([])
})

test('every text is one sentence', () => {
  expect(clauses.filter(({ text }) => !/^[A-Z`].*\.$/.test(text) || text.includes('\n'))).toEqual([])
})

test('every page that a clause comes from is there', () => {
  const pages = clauses.map(({ source }) => source).filter((source) => source.startsWith('docs/'))
  const missing = pages.filter((page) => !existsSync(new URL(`../../${page}`, import.meta.url)))
  expect(pages.length).toBeGreaterThan(0)
  expect(missing).toEqual([])
})

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
