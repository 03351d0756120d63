import t from 'tap'
import { idFault, keyOf, likeSegment, parseKey } from '#core/key.ts'

t.test('names of any script are ids as they are', async (t) => {
  const names = [
    'hello',
    'C++',
    'C#',
    '100%',
    'R&D (draft) [2]',
    "it's; a=b, $5!",
    '«Qué» ¿sí¡',
    'café',
    'Ελλάδα',
    '日本・東京',
    'สวัสดี',
    'नमस्ते',
  ]
  const joined = ['می\u200cخواهم', 'क्\u200dष', '👩\u200d💻', '❤\ufe0f', '#\ufe0f\u20e3', '👍🏽 yes', '🇩🇪', '10°', 'a^b`c{d}']
  t.same(
    [...names, ...joined].filter((name) => idFault(name) !== undefined),
    [],
  )
  t.equal(parseKey('posts', 'cafe\u0301')?.id, 'café', 'in NFC')
  t.equal(parseKey('C#', 'x')?.kind, 'C#')
})

t.test('other names are none', async (t) => {
  const signs = [...':?*"<>|\\/'].map((sign) => `a${sign}b`)
  const unseen = [
    'a\u200bb',
    '\u200ca',
    'a\u200d',
    'a \u200cb',
    '\ufe0fa',
    'a \ufe0f',
    'a\u202eb',
    'a\tb',
    'a\nb',
    'a\0b',
    'a\u00adb',
    'a\u2028b',
  ]
  const spaces = ['a\u00a0b', 'a\u3000b', ' a', 'a ', 'a.', '']
  const others = [
    '.a',
    '_a',
    '.git',
    '.GIT',
    'con',
    'Aux.v1',
    'com1',
    'lpt9.x',
    'a~~b',
    '\ud800',
    '\ue000',
    'cafe\u0301',
    '\ufffd',
    `a${'\u0300\u0316'.repeat(16)}`,
    `à${'\u0300\u0316'.repeat(16)}`,
  ]
  const taken = [...signs, ...unseen, ...spaces, ...others].filter((name) => idFault(name) === undefined)
  t.same(
    taken.map((name) => Buffer.from(name).toString('hex')),
    [],
  )
  t.equal(idFault('what?'), "has a character that ids don't have (?)")
  t.equal(idFault('zero\u200bwidth'), "has a character that ids don't have (U+200B)")
  t.throws(() => keyOf('posts', 'a:b'), /:/)
})

t.test('a name that is like another and can be an id', async (t) => {
  const names = {
    'a:b': 'a-b',
    'what??': 'what-',
    'a\u200bb': 'ab',
    'می\u200cخواهم?': 'می\u200cخواهم-',
    '.hidden': 'hidden',
    'end. ': 'end',
    con: 'file-con',
    [`a${'\u0316'.repeat(40)}b`]: `a${'\u0316'.repeat(30)}b`,
    '???': 'untitled',
    '': 'untitled',
  }
  for (const [name, like] of Object.entries(names)) t.equal(likeSegment(name), like)
  t.same(
    Object.keys(names).filter((name) => idFault(likeSegment(name)) !== undefined),
    [],
  )
})

t.test('an id is no longer than the path of a file may be', async (t) => {
  const longest = 'a'.repeat(4096)
  t.equal(parseKey('posts', longest)?.id, longest)
  t.equal(parseKey('posts', `${longest}a`), undefined)
  t.match(idFault(`${longest}a`), /longer/)
})
