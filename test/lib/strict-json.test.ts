import fc from 'fast-check'
import t from 'tap'
import { isExactNumber, readStrictJson } from '#lib/strict-json.ts'
import { cpuMs } from '#support/cpu.ts'
import { longTest } from '#support/long.ts'

const LIMITS = { depth: 32, keys: 1000 }
const faultOf = (text: string) => {
  const read = readStrictJson(text, LIMITS)
  return 'fault' in read ? [read.fault.kind, read.fault.path] : read.value
}

longTest('JSON is read as JSON.parse reads it where nothing is lost', async (t) => {
  const plain = fc
    .jsonValue({ maxDepth: 4, noUnicodeString: false })
    .map((value) => JSON.stringify(value))
    // These are refused, and drawn now and then.
    .filter((text) => !/"(?:__proto__|constructor|prototype)":/.test(text))
  fc.assert(
    fc.property(plain, (text) => {
      t.same(faultOf(text), JSON.parse(text))
    }),
  )
  t.same(faultOf('{"a":[1,-0,{"b":-0.0}],"\\\\\\"":"\\\\"}'), { a: [1, 0, { b: 0 }], '\\"': '\\' })
  t.ok(Object.is(faultOf('-0'), 0))
  t.throws(() => faultOf('{"a":1,}'), SyntaxError)
})

t.test('a list of -0 costs little more than one of other numbers', (t) => {
  const cost = (number: string) => {
    const text = `[${`${number},`.repeat(300_000)}1]`
    const runs = Array.from({ length: 5 }, () => {
      const begun = cpuMs()
      readStrictJson(text, LIMITS)
      return cpuMs() - begun
    })
    return Math.min(...runs)
  }
  const [plain, zeros] = [cost('-1'), cost('-0')]
  t.ok(zeros < 2 * plain, `${Math.round(zeros)} ms beside ${Math.round(plain)}`)
  t.end()
})

t.test('what would be lost or changed without a word is named with its path', async (t) => {
  t.same(faultOf('{"k":1e400}'), ['number', 'k'])
  t.same(faultOf('{"k":[1,{"n":-1e999}]}'), ['number', 'k.1.n'])
  t.same(faultOf('{"k":9007199254740993}'), ['number', 'k'])
  t.same(faultOf('{"k":1e-400}'), ['number', 'k'])
  t.same(faultOf('{"k":[12,12e400]}'), ['number', 'k.1'])
  t.same(faultOf('[999999999999999,1234567890123456789]'), ['number', '1'])
  t.same(faultOf('{"a":1,"b":{"c":1},"\\u0061":2}'), ['twice', 'a'])
  t.same(faultOf('[{"a":1},{"a":{"b":1,"b":2}}]'), ['twice', '1.a.b'])
  t.same(faultOf('{"a":["\\ud83d\\ude00","\\ud83d"]}'), ['text', 'a.1'])
  t.same(faultOf('{"\\udc00":1}'), ['text', '\udc00'])
  t.same(faultOf('{"a":{"__proto__":1}}'), ['unsafe', 'a'])
  t.match(faultOf(`${'['.repeat(33)}${']'.repeat(33)}`), ['depth'])
  t.same(faultOf(`${'['.repeat(32)}${']'.repeat(32)}`), JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`))
  t.match(faultOf(`[${Array.from({ length: 1001 }, () => '{"a":1}').join()}]`), ['keys'])
})

t.test('a number is kept as it is, or is none that is taken', async (t) => {
  for (const text of ['0', '-0', '0.0', '0e9', '1e308', '9007199254740991', '-9007199254740992', '12345678901234567000', '0.1'])
    t.ok(isExactNumber(text), text)
  for (const text of ['1e309', '9007199254740993', '12345678901234567890', '1e-400', '-0.00001e-350', '9'.repeat(400)])
    t.notOk(isExactNumber(text), text)
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isExactNumber(JSON.stringify(value))))
})

t.test('the work is linear in what is sent', async (t) => {
  const most = 2 * 1024 * 1024
  for (const text of [
    `"${'\\\\'.repeat(most / 2)}"`,
    `["${'\\"'.repeat(most / 2)}"]`,
    `[${'1,'.repeat(most / 2)}1]`,
    '[""'.padEnd(most, ',""').replace(/,"?$/, ',""]'),
  ]) {
    const begun = cpuMs()
    readStrictJson(text.endsWith(']') || text.endsWith('"') ? text : `${text}]`, LIMITS)
    t.ok(cpuMs() - begun < 2000)
  }
})
