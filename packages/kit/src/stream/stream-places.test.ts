import { describe, expect, test } from 'vitest'
import { createStreamPlaces } from './stream-places.ts'

const status = (value: number) =>
  expect.objectContaining({ problem: expect.objectContaining({ status: value }) })

describe('places for streams', () => {
  test('are counted for each caller', () => {
    const places = createStreamPlaces({ most: 10, mostPerCaller: 2 })
    const giveBack = places.take('ada')
    places.take('ada')
    expect(() => places.take('ada')).toThrow(status(429))
    places.take('ben')
    giveBack()
    places.take('ada')
    expect(() => places.take('ada')).toThrow(status(429))
    expect(places.taken()).toBe(3)
  })

  test('are counted for all', () => {
    const places = createStreamPlaces({ most: 2, mostPerCaller: 2 })
    const giveBack = places.take('ada')
    places.take('ben')
    expect(() => places.take('eve')).toThrow(status(503))
    giveBack()
    places.take('eve')
    expect(places.taken()).toBe(2)
  })

  test('are given back once', () => {
    const places = createStreamPlaces({ most: 10, mostPerCaller: 2 })
    const giveBack = places.take('ada')
    places.take('ada')
    giveBack()
    giveBack()
    expect(places.taken()).toBe(1)
    places.take('ada')
    expect(() => places.take('ada')).toThrow(status(429))
  })
})
