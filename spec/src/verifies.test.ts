import { describe, expect, test } from 'vitest'
import { verifies } from './verifies.ts'

const outsideTest = attempt()

test('refuses a call outside a test', () => {
  expect(outsideTest).toMatch(/outside a test/)
})

describe.concurrent('among concurrent tests', () => {
  test('refuses to guess which test is meant', () => {
    expect(attempt()).toMatch(/is concurrent/)
  })
})

function attempt(): string {
  try {
    verifies('ALL-BIND-1')
    return 'accepted'
  } catch (error) {
    return String(error)
  }
}
