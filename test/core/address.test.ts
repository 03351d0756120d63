import fc from 'fast-check'
import t from 'tap'
import { plainAddress } from '#core/address.ts'
import { longTest } from '#support/long.ts'

t.test('one address, however it is written', async (t) => {
  const same: Record<string, string[]> = {
    'ada@example.org': ['ada@example.org', 'ADA@EXAMPLE.org', '  Ada@Example.Org ', 'ada@ｅxample.org'],
    'ada+news@sub.example.org': ['Ada+News@sub.example.org'],
    'ada@xn--bcher-kva.example': ['ada@bücher.example', 'ada@BU\u0308CHER.example', 'ada@xn--bcher-kva.example'],
    'k\u00e9@example.org': ['K\u00c9@example.org', 'ke\u0301@example.org'],
    'kelvin@example.org': ['\u212aelvin@example.org'],
    "o'hara@localhost": ["O'Hara@localhost"],
  }
  for (const [plain, ways] of Object.entries(same)) for (const way of ways) t.equal(plainAddress(way), plain, JSON.stringify(way))
})

t.test('what is not one plain address is none', async (t) => {
  const wrong = [
    ...['', '@', 'ada', 'ada@', '@example.org', 'ada@@example.org', 'ada@example.org@example.com', 'a b@example.org'],
    ...['ada@example.org,eve@example.com', 'ada@example.org;eve@example.com', 'ada@example.org eve@example.com'],
    ...[
      'Ada <ada@example.org>',
      '<ada@example.org>',
      '"ada"@example.org',
      '"a@b"@example.org',
      'ada(x)@example.org',
      'ada\\@example.org',
    ],
    ...[
      'friends:ada@example.org',
      'friends:ada@example.org;',
      'a:b@example.org',
      'ada@[127.0.0.1]',
      'ada@[IPv6:::1]',
      'ada@127.0.0.1',
    ],
    ...['ada@1', 'ada@0x7f.1', 'ada@example.0x7f', '.ada@example.org', 'ada.@example.org', 'a..da@example.org'],
    ...['ada@example..org', 'ada@.example.org', 'ada@example.org.', 'ada@-example.org', 'ada@example-.org', 'ada@exa_mple.org'],
    ...[
      'ada@ex%61mple.org',
      'ada@example.org:25',
      'ada@example\u3002org',
      'ada@example.org/x',
      'ada@example.org?x',
      'ada@example.org#x',
      'ada@eve\\example.org',
    ],
    ...[
      'ada@example.org\r\nBcc: eve@example.com',
      'ada\r\n@example.org',
      'ada@example.org\n',
      '\tada@example.org',
      'a\0da@example.org',
    ],
    ...[
      'ada\u2028@example.org',
      'ada\u00a0@example.org',
      'ada\u200b@example.org',
      'ada\ud800@example.org',
      'ada\u202e@example.org',
    ],
    ...[`${'a'.repeat(65)}@example.org`, `${'é'.repeat(33)}@example.org`, `a@${'b'.repeat(64)}.org`],
    `${'a'.repeat(60)}@${`${'b'.repeat(62)}.`.repeat(3)}example.org`,
  ]
  t.same(
    wrong.filter((text) => plainAddress(text) !== undefined),
    [],
  )
})

longTest('what is made of any text is an address that nothing can take for another', async () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab.@,;:<>()"\\ \r\n\0%[]/!é\u0130\u212aＡ'), maxLength: 12 })
  const near = fc.tuple(part, fc.constantFrom('@', '', '@x.'), part).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ unit: 'binary' }), fc.emailAddress()), (text) => {
      const plain = plainAddress(text)
      if (plain === undefined) return true
      const [local = '', domain = '', ...more] = plain.split('@')
      const isSafe = !/[\p{C}\p{Z},;:<>()[\]"\\]/u.test(local) && /^[a-z0-9.-]+$/.test(domain) && more.length === 0
      return (
        isSafe &&
        plain.length <= 254 &&
        plainAddress(plain) === plain &&
        plainAddress(plain.toUpperCase()) === plainAddress(plain.toUpperCase().toLowerCase())
      )
    }),
    { numRuns: 3000 },
  )
})
