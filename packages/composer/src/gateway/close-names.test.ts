import { expect, test } from 'vitest'
import { closeNames } from './close-names.ts'

const NAMES = ['github__create_issue', 'github__list_issues', 'mail__send', 'weather__forecast', 'a__b']

test.each([
  ['create_issue', ['github__create_issue', 'github__list_issues']],
  ['github.createIssue', ['github__create_issue', 'github__list_issues']],
  ['GITHUB:LIST-ISSUES', ['github__list_issues', 'github__create_issue']],
  ['forecasts', ['weather__forecast']],
  ['a__b__c', []],
  ['', []],
  ['...', []],
  ['x'.repeat(100_000), []],
])('%.30s may have meant %j', (wanted, expected) => {
  expect(closeNames(wanted, NAMES)).toEqual(expected)
})

test('only a few are told, however many there are', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `server__tool_${index}`)
  expect(closeNames('server__toll', names)).toHaveLength(5)
})
