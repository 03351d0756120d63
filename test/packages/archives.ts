import { gzipSync } from 'node:zlib'
import { isLong } from '#support/long.ts'

/** An entry of an archive as it is written, whatever is wrong with it. */
export interface RawEntry {
  readonly name: string
  readonly type?: string
  readonly bytes?: Uint8Array | string
  readonly link?: string
  /** The size that the header says, where it is not that of the bytes. */
  readonly size?: number
  /** Written over the header before its checksum is made. */
  readonly over?: readonly (readonly [at: number, text: string])[]
  readonly hasBadSum?: boolean
}

const END = Buffer.alloc(1024)

export const MANIFEST = 'api: 1\nname: contacts\nversion: 1.0.0\nmain: index.js\npermissions: [store]\n'

/** The entries of a module that nothing is wrong with. */
export const GOOD: readonly RawEntry[] = [
  { name: 'module.yaml', bytes: MANIFEST },
  { name: 'index.js', bytes: 'export default { api: 1 }\n' },
]

/** Makes an archive by hand. */
export function tarOf(entries: readonly RawEntry[], end: Uint8Array = END): Buffer {
  return Buffer.concat([...entries.flatMap(partsOf), end])
}

/** Makes a package by hand. */
export function packageOf(entries: readonly RawEntry[], end?: Uint8Array): Buffer {
  return gzipSync(tarOf(entries, end), { level: 1 })
}

function partsOf({ name, type = '0', bytes = '', link = '', size, over = [], hasBadSum = false }: RawEntry): Buffer[] {
  const content = Buffer.from(bytes)
  const head = Buffer.alloc(512)
  head.write(name, 0, 100)
  head.write('0000644\0', 100)
  head.write('0000000\0', 108)
  head.write('0000000\0', 116)
  head.write(`${(size ?? content.length).toString(8).padStart(11, '0')}\0`, 124)
  head.write('00000000000\0', 136)
  head.write(type, 156)
  head.write(link, 157, 100)
  head.write('ustar\x0000', 257)
  for (const [at, text] of over) head.write(text, at, 'latin1')
  head.write('        ', 148)
  const sum = head.reduce((all, byte) => all + byte, hasBadSum ? 1 : 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [head, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
}

/** A pax header before an entry. */
export function pax(records: Readonly<Record<string, string>>, type = 'x'): RawEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`)
    let length = rest + 1
    while (String(length).length + rest !== length) length = String(length).length + rest
    return `${length} ${key}=${value}\n`
  })
  return { name: 'pax', type, bytes: lines.join('') }
}

const file = (name: string, bytes = 'x'): RawEntry[] => [...GOOD, { name, bytes }]
const typed = (type: string, name = 'x', link = ''): RawEntry[] => [...GOOD, { name, type, link }]

/** Packages that are refused, each with what is said. The last ones are large: they are made when they are asked for. */
export const HOSTILE: readonly (readonly [name: string, make: () => Buffer, says: RegExp])[] = [
  ['..', () => packageOf(file('../evil.js')), /leads out/],
  ['.. within', () => packageOf(file('lib/../../evil.js')), /leads out/],
  ['.. at the end', () => packageOf(file('lib/..')), /leads out/],
  ['.. after ./', () => packageOf(file('./../evil.js')), /leads out/],
  ['absolute', () => packageOf(file('/etc/cron.d/evil')), /absolute/],
  ['absolute on Windows', () => packageOf(file('C:/evil.js')), /absolute/],
  ['backslashes', () => packageOf(file('..\\evil.js')), /character/],
  ['a folder that leads out', () => packageOf(typed('5', '../evil/')), /leads out/],
  ['a prefix that leads out', () => packageOf([...GOOD, { name: 'evil.js', bytes: 'x', over: [[345, '../up']] }]), /leads out/],
  ['link', () => packageOf(typed('2', 'x', '/etc/passwd')), /is a link/],
  ['link, then a file through it', () => packageOf([...typed('2', 'lib', '/tmp'), { name: 'lib/x', bytes: 'x' }]), /is a link/],
  ['hard link', () => packageOf(typed('1', 'x', '../../etc/passwd')), /hard link/],
  ['hard link within', () => packageOf(typed('1', 'x', 'index.js')), /hard link/],
  ['character device', () => packageOf(typed('3')), /device/],
  ['block device', () => packageOf(typed('4')), /device/],
  ['pipe', () => packageOf(typed('6')), /pipe/],
  ['contiguous file', () => packageOf(typed('7')), /neither/],
  ['sparse file of GNU', () => packageOf(typed('S')), /holes/],
  ['sparse file by pax', () => packageOf([pax({ 'GNU.sparse.name': 'x', 'GNU.sparse.size': '1' }), ...file('x')]), /pax header/],
  ['multi-volume', () => packageOf(typed('M')), /neither/],
  ['unknown type', () => packageOf(typed('Z')), /neither/],
  ['path by pax', () => packageOf([...GOOD, pax({ path: '../evil' }), { name: 'x', bytes: 'x' }]), /leads out/],
  ['path for all by pax', () => packageOf([pax({ path: 'x' }, 'g'), ...GOOD]), /odd/],
  ['link by pax', () => packageOf([...GOOD, pax({ linkpath: '/etc' }), { name: 'x' }]), /pax header/],
  ['size by pax', () => packageOf([...GOOD, pax({ size: '0' }), { name: 'x', bytes: 'x' }]), /pax header/],
  ['odd pax', () => packageOf([...GOOD, { name: 'pax', type: 'x', bytes: '99 path=x\n' }, { name: 'x' }]), /odd/],
  ['large pax', () => packageOf([...GOOD, pax({ comment: 'x'.repeat(70_000) }), { name: 'x' }]), /over/],
  ['long name of GNU', () => packageOf([...GOOD, { name: 'l', type: 'L', bytes: '../../evil\0' }, { name: 'x' }]), /leads out/],
  ['two names', () => packageOf([...GOOD, pax({ path: 'a' }), pax({ path: 'b' }), { name: 'x' }]), /twice/],
  ['a name without a file', () => packageOf([...GOOD, pax({ path: 'a' })]), /no file/],
  ['names that differ in case', () => packageOf([...file('A.js'), { name: 'a.js' }]), /only in case/],
  ['folders that differ in case', () => packageOf([...file('Lib/a.js'), { name: 'lib/b.js' }]), /only in case/],
  ['a name twice', () => packageOf([...GOOD, { name: 'index.js', bytes: 'evil' }]), /twice/],
  ['a file that is a folder', () => packageOf([...file('lib'), { name: 'lib/x.js' }]), /below a file/],
  ['decomposed', () => packageOf(file('a\u0308.js')), /normal form/],
  ['.git/hooks', () => packageOf(file('.git/hooks/post-checkout')), /don't have/],
  ['.GIT/config within', () => packageOf(file('lib/.GIT/config')), /don't have/],
  ['device of Windows', () => packageOf(file('lib/aux.js')), /device on Windows/],
  ['stream of Windows', () => packageOf(file('index.js:evil')), /character/],
  ['a dot at the end', () => packageOf(file('index.js.')), /ends/],
  ['bad checksum', () => packageOf([...GOOD, { name: 'x', hasBadSum: true }]), /checksum/],
  [
    'negative size',
    () => packageOf([...GOOD, { name: 'x', over: [[124, '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff']] }]),
    /8 GB/,
  ],
  ['8 GB said', () => packageOf([...GOOD, { name: 'x', size: 8 * 1024 ** 3 - 1 }]), /over 32 MiB/],
  ['cut short', () => packageOf(GOOD).subarray(0, 100), /damaged/],
  ['without an end', () => packageOf(GOOD, Buffer.alloc(0)), /cut short/],
  ['more after the end', () => packageOf(GOOD, Buffer.concat([END, tarOf(file('evil.js'))])), /after its end/],
  ['no gzip', () => tarOf(GOOD), /damaged/],
  ['nothing', () => Buffer.alloc(0), /damaged/],
  ['a name that is not UTF-8', () => packageOf([...GOOD, { name: 'x', over: [[0, '\xff\xfe']] }]), /UTF-8/],
  ['no manifest', () => packageOf([{ name: 'index.js' }]), /no module\.yaml/],
  ['manifest below a folder', () => packageOf([{ name: 'package/module.yaml', bytes: MANIFEST }]), /at its root/],
  [
    '__proto__',
    () => packageOf([{ name: 'module.yaml', bytes: `${MANIFEST}__proto__: {}\n` }, { name: 'index.js' }]),
    /not allowed/,
  ],
  ['no main', () => packageOf(GOOD.slice(0, 1)), /no file "index\.js"/],
]

/** Packages that would fill a disk or a memory. */
export const LARGE: readonly (readonly [name: string, make: () => Buffer, says: RegExp])[] = [
  [
    '100,000 entries (in the long form)',
    () => packageOf(Array.from({ length: isLong ? 100_000 : 5_001 }, (_, n) => ({ name: `${n}.js` }))),
    /over 5,000 entries/,
  ],
  [
    '20,000 headers of names',
    () => packageOf(Array.from({ length: isLong ? 20_000 : 10_001 }, () => pax({ comment: 'x' }))),
    /over 5,000 entries/,
  ],
  ['zeros without an end', () => zeros(isLong ? 10 : 1), /over 100 MB/],
]

/** Files of 32 MiB of zeros, `gigabytes` in all: compressed, they are a thousandth. */
function zeros(gigabytes: number): Buffer {
  const bytes = Buffer.alloc(32 * 1024 * 1024)
  const member = (n: number) => gzipSync(Buffer.concat([tarOf([{ name: `${n}.bin`, bytes }], Buffer.alloc(0))]), { level: 9 })
  const one = gzipSync(Buffer.concat(partsOf({ name: 'same.bin', bytes })), { level: 9 })
  return Buffer.concat([
    gzipSync(tarOf(GOOD, Buffer.alloc(0))),
    member(0),
    member(1),
    member(2),
    ...Array.from({ length: gigabytes * 32 }, () => one),
  ])
}
