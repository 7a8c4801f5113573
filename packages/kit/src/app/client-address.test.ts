import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { addressRange, createClientAddress } from './client-address.ts'

const from = (trusted: string[], peer: string, forwarded: string[] = []) =>
  createClientAddress(trusted)(
    {
      method: 'GET',
      target: '/',
      header: (name) => (name === 'x-forwarded-for' ? forwarded : []),
      bodyLength: () => 0,
    },
    {
      socket: { remoteAddress: peer },
    } as IncomingMessage,
  )

describe('the address of a client', () => {
  test.each<[string, string[], string, string[], string]>([
    ['is the peer', [], '192.0.2.7', [], '192.0.2.7'],
    ['is the peer, whatever it claims', [], '192.0.2.7', ['198.51.100.1'], '192.0.2.7'],
    [
      'is the peer when the peer is no trusted proxy',
      ['10.0.0.0/8'],
      '192.0.2.7',
      ['198.51.100.1'],
      '192.0.2.7',
    ],
    ['is what a trusted proxy saw', ['10.0.0.0/8'], '10.1.2.3', ['198.51.100.1'], '198.51.100.1'],
    [
      'is not what the client put in front',
      ['10.0.0.0/8'],
      '10.1.2.3',
      ['203.0.113.9, 198.51.100.1'],
      '198.51.100.1',
    ],
    [
      'passes through several proxies',
      ['10.0.0.0/8'],
      '10.1.2.3',
      ['198.51.100.1, 10.9.9.9', '10.8.8.8'],
      '198.51.100.1',
    ],
    ['is the peer when the header is missing', ['10.1.2.3'], '10.1.2.3', [], '10.1.2.3'],
    [
      'is the peer when the text there is no address',
      ['10.1.2.3'],
      '10.1.2.3',
      ['198.51.100.1, unknown'],
      '10.1.2.3',
    ],
    ['is the peer when the text ends in a comma', ['10.1.2.3'], '10.1.2.3', ['198.51.100.1,'], '10.1.2.3'],
    ['has no port', ['10.1.2.3'], '10.1.2.3', ['198.51.100.1:4711'], '198.51.100.1'],
    ['has no port in IPv6 either', ['10.1.2.3'], '10.1.2.3', ['[2001:db8::5]:4711'], '2001:db8::5'],
    ['has one spelling', ['10.1.2.3'], '10.1.2.3', ['2001:0DB8:0:0::0005'], '2001:db8::5'],
    ['is IPv4 through an IPv6 socket', ['10.0.0.0/8'], '::ffff:10.1.2.3', ['198.51.100.1'], '198.51.100.1'],
    ['may be IPv6', ['fd00::/8'], 'fd00::1', ['2001:db8::5'], '2001:db8::5'],
  ])('%s', (_what, trusted, peer, forwarded, expected) => {
    expect(from(trusted, peer, forwarded)).toBe(expected)
  })

  test.each([['everybody'], ['10.0.0.0/33'], ['10.0.0.0/x'], ['10.0.0/8'], ['']])(
    'will not be built with %j',
    (entry) => expect(() => createClientAddress([entry])).toThrow(/is no address of a proxy/),
  )
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1:2:3', 'fe80:0:0:0::/64'],
  ['', ''],
])('%j counts as %j', (address, range) => {
  expect(addressRange(address)).toBe(range)
})
