import { expect, test } from 'vitest'
import type { Clause } from './clause.ts'
import { type Citation, judge, type Ledger } from './gate.ts'

const clauses: Clause[] = [
  { id: 'A-X-1', text: 'One.', source: 'spec 1 §1' },
  { id: 'A-X-2', text: 'Two.', source: 'spec 1 §1' },
  { id: 'A-XY-1', text: 'Three.', source: 'spec 1 §1' },
]
const passing = (id: string): Citation => ({ id, test: `proves ${id}`, passed: true })
const failing = (id: string): Citation => ({ id, test: `tries ${id}`, passed: false })

type Case = {
  title: string
  notYetBuilt: Ledger['notYetBuilt']
  citations: Citation[]
  faults: string[]
  summary: string
}

const cases: Case[] = [
  {
    title: 'everything listed',
    notYetBuilt: { 'Home: a house': ['A-X-*'], 'Roof: on top': ['A-XY-1'] },
    citations: [],
    faults: [],
    summary: 'ledger: 0 of 3 clauses proven, 3 not yet built (Home 2, Roof 1)',
  },
  {
    title: 'everything proven',
    notYetBuilt: {},
    citations: [passing('A-X-1'), passing('A-X-2'), passing('A-XY-1'), passing('A-XY-1')],
    faults: [],
    summary: 'ledger: 3 of 3 clauses proven, 0 not yet built',
  },
  {
    title: 'a clause neither proven nor listed',
    notYetBuilt: { 'Home: a house': ['A-X-*'] },
    citations: [],
    faults: ['A-XY-1 is neither cited by a passing test nor listed as not yet built: Three.'],
    summary: 'ledger: 0 of 3 clauses proven, 2 not yet built (Home 2)',
  },
  {
    title: 'a listed area of which one clause is proven',
    notYetBuilt: { 'Home: a house': ['A-X-*', 'A-XY-1'] },
    citations: [passing('A-X-1')],
    faults: [
      'A-X-* is listed as not yet built under "Home: a house" but tests prove A-X-1: list only \'A-X-2\'',
    ],
    summary: 'ledger: 1 of 3 clauses proven, 2 not yet built (Home 2)',
  },
  {
    title: 'a listed clause that is proven',
    notYetBuilt: { 'Home: a house': ['A-X-*'], 'Roof: on top': ['A-XY-1'] },
    citations: [passing('A-XY-1')],
    faults: [
      'A-XY-1 is listed as not yet built under "Roof: on top" but tests prove A-XY-1: take it off the list',
    ],
    summary: 'ledger: 1 of 3 clauses proven, 2 not yet built (Home 2)',
  },
  {
    title: 'a clause cited only by a failing test',
    notYetBuilt: { 'Home: a house': ['A-X-*'] },
    citations: [failing('A-XY-1')],
    faults: ['A-XY-1 is cited only by tests that did not pass, such as "tries A-XY-1": Three.'],
    summary: 'ledger: 0 of 3 clauses proven, 2 not yet built (Home 2)',
  },
  {
    title: 'a failing test beside a passing one',
    notYetBuilt: { 'Home: a house': ['A-X-*'] },
    citations: [failing('A-XY-1'), passing('A-XY-1')],
    faults: [],
    summary: 'ledger: 1 of 3 clauses proven, 2 not yet built (Home 2)',
  },
  {
    title: 'a failing test of a clause that is listed',
    notYetBuilt: { 'Home: a house': ['A-X-*', 'A-XY-*'] },
    citations: [failing('A-XY-1')],
    faults: [],
    summary: 'ledger: 0 of 3 clauses proven, 3 not yet built (Home 3)',
  },
  {
    title: 'a clause listed twice',
    notYetBuilt: { 'Home: a house': ['A-X-*', 'A-XY-1'], 'Roof: on top': ['A-X-2'] },
    citations: [],
    faults: ['A-X-2 is listed as not yet built more than once'],
    summary: 'ledger: 0 of 3 clauses proven, 3 not yet built (Home 3, Roof 1)',
  },
  {
    title: 'ids that are no clauses',
    notYetBuilt: { 'Home: a house': ['A-X-*', 'A-XY-*', 'A-Z-*', 'A-X-9'] },
    citations: [passing('B-1')],
    faults: [
      '"proves B-1" cites B-1, which is no clause',
      'A-Z-* is listed as not yet built under "Home: a house" but is no clause',
      'A-X-9 is listed as not yet built under "Home: a house" but is no clause',
    ],
    summary: 'ledger: 0 of 3 clauses proven, 3 not yet built (Home 3)',
  },
]

test.for(cases)('$title', ({ notYetBuilt, citations, faults, summary }) => {
  expect(judge({ clauses, notYetBuilt }, citations)).toEqual({ faults, summary })
})

test('a clause that the test bed cannot show is counted apart and is no fault', () => {
  const ledger: Ledger = {
    clauses: [{ id: 'A-X-1', text: 'One.', source: 'spec 1 §1', needs: 'a newer peer' }],
    notYetBuilt: {},
  }
  expect(judge(ledger, [])).toEqual({
    faults: [],
    summary: 'ledger: 0 of 1 clauses proven, 0 not yet built, 1 beyond this test bed (a newer peer)',
  })
})
