import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { startWatched } from './servers.ts'

/**
 * Clients that all ask at once for pictures in sizes that are not made yet: `npm run bench:pictures -- [clients] [pictures]`. Prints
 * how many were made and how long that took, beside sharp alone in one process, how long the event loop was held at most, and the
 * memory of the server with that of the process that makes pictures.
 */
const clients = Number(process.argv[2] ?? 64)
const pictures = Number(process.argv[3] ?? 20)
const WIDTHS = [320, 640, 960, 1280, 1920]
const [WIDTH, HEIGHT] = [4000, 3000]
const print = (line: string) => process.stdout.write(`${line}\n`)

const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
try {
  const folder = join(root, 'content/media')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'content/index.md'), '# Home\n')
  for (let n = 0; n < pictures; n++) writeFileSync(join(folder, `p${n}.jpg`), await photo(n))
  const alone = await timed(() => byItself(folder))
  const server = await startWatched(root)
  const paths = WIDTHS.flatMap((width) => Array.from({ length: pictures }, (_, n) => `/media/_w${width}/p${n}.jpg.webp`))
  await server.held()
  const failures: string[] = []
  const made = await timed(async () => {
    await Promise.all(Array.from({ length: clients }, (_, n) => ask(server.url, rotated(paths, n * 7), failures)))
  })
  const held = await server.held()
  const { peak } = server.memory()
  const files = readdirSync(join(root, '.cms/cache/pictures')).length
  const again = await timed(() => ask(server.url, paths, failures))
  await server.stop()
  print(
    `${clients} clients, ${pictures} pictures of ${WIDTH} × ${HEIGHT} in ${WIDTHS.length} widths: ${paths.length * clients} requests`,
  )
  print(`made: ${files}; ${failures.length} not answered with 200${failures[0] ? `, the first: ${failures[0]}` : ''}`)
  print(`${(made / 1000).toFixed(1)} s, ${(made / alone).toFixed(2)} times sharp alone (${(alone / 1000).toFixed(1)} s)`)
  print(`event loop held at most ${held.toFixed(0)} ms; memory of the server at most ${peak} MB`)
  print(`made before: ${(again / paths.length).toFixed(1)} ms each, one after the other`)
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** A photo that is not quickly compressed. */
async function photo(n: number): Promise<Buffer> {
  const background = { r: (n * 37) % 256, g: (n * 91) % 256, b: 128 }
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const grain = await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background, noise } })
    .png()
    .toBuffer()
  return sharp(grain).tint(background).jpeg({ quality: 80 }).toBuffer()
}

/** The same pictures by sharp, two at once, with nothing around it. */
async function byItself(folder: string): Promise<void> {
  sharp.concurrency(1)
  sharp.cache(false)
  const all = readdirSync(folder).flatMap((name) => WIDTHS.map((width) => ({ name, width })))
  const lane = async () => {
    for (let one = all.pop(); one; one = all.pop())
      await sharp(join(folder, one.name)).resize({ width: one.width, withoutEnlargement: true }).webp().toBuffer()
  }
  await Promise.all([lane(), lane()])
}

async function ask(url: string, paths: readonly string[], failures: string[]): Promise<void> {
  for (const path of paths) {
    const answer = await fetch(url + path)
    await answer.arrayBuffer()
    if (answer.status !== 200) failures.push(`${path} ${answer.status}`)
  }
}

function rotated<T>(list: readonly T[], by: number): T[] {
  return list.map((_, at) => list[(at + by) % list.length] as T)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
