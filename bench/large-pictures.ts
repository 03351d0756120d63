import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setInterval as every } from 'node:timers'
import sharp, { type Sharp } from 'sharp'
import { CMS, startQuire } from './servers.ts'

/**
 * One picture of 40 MP in five widths and two formats, of each way in which pictures come: `npm run bench:large-pictures`. Prints the
 * memory of `cms build` and of `cms serve` that is asked for all ten at once, each with the process that draws, at its highest; how
 * many were made; and what a second build reads.
 */
const [WIDTH, HEIGHT] = [8000, 5000]
const WIDTHS = [320, 640, 960, 1280, 1920]
const FORMATS = ['webp', 'avif']
const print = (line: string) => process.stdout.write(`${line}\n`)

const WAYS: Readonly<Record<string, { ending: string; written: (photo: Sharp) => Sharp }>> = {
  JPEG: { ending: 'jpg', written: (photo) => photo.jpeg({ quality: 80 }) },
  'progressive JPEG': { ending: 'jpg', written: (photo) => photo.jpeg({ quality: 80, progressive: true }) },
  '… in full colour': {
    ending: 'jpg',
    written: (photo) => photo.jpeg({ quality: 80, progressive: true, chromaSubsampling: '4:4:4' }),
  },
  'JPEG, turned': { ending: 'jpg', written: (photo) => photo.withMetadata({ orientation: 6 }).jpeg({ quality: 80 }) },
  PNG: { ending: 'png', written: (photo) => photo.png({ compressionLevel: 1 }) },
  'PNG of 16 bits': {
    ending: 'png',
    written: (photo) => photo.ensureAlpha().toColourspace('rgb16').png({ compressionLevel: 1 }),
  },
  'interlaced PNG': { ending: 'png', written: (photo) => photo.png({ compressionLevel: 1, progressive: true }) },
  WebP: { ending: 'webp', written: (photo) => photo.webp({ quality: 70 }) },
}

sharp.cache(false)
const grain = await sharp({
  create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 20 } },
})
  .png({ compressionLevel: 1 })
  .toBuffer()
print(`${WIDTH} × ${HEIGHT}, ${WIDTHS.length} widths, ${FORMATS.join(' and ')}; MB at the highest, with the process that draws`)
for (const [name, { ending, written }] of Object.entries(WAYS)) {
  const root = mkdtempSync(join(tmpdir(), 'quire-bench-'))
  try {
    await makeSite(root, ending, written(sharp(grain).tint('#c07840').blur(2)))
    const [first, second] = [await build(root), await build(root)]
    const served = await serve(root, ending)
    print(
      `${name.padEnd(18)} build ${first.peak} MB, ${(first.ms / 1000).toFixed(1)} s, ${first.made} made; again ${second.peak} MB, ` +
        `${(second.ms / 1000).toFixed(1)} s, ${second.made - first.made} made, ${second.readMb} MB read; served ${served} MB`,
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function makeSite(root: string, ending: string, picture: Sharp): Promise<void> {
  mkdirSync(join(root, 'content/media'), { recursive: true })
  await picture.toFile(join(root, `content/media/p.${ending}`))
  writeFileSync(join(root, 'cms.config.yaml'), 'site: { name: Pictures, url: "https://example.com" }\n')
  const shown = addressesOf(ending).map((path) => `![](${path})`)
  writeFileSync(join(root, 'content/index.md'), `---\ntitle: Home\n---\n${shown.join('\n\n')}\n`)
}

function addressesOf(ending: string): string[] {
  return FORMATS.flatMap((format) => WIDTHS.map((width) => `/media/_w${width}/p.${ending}.${format}`))
}

async function build(root: string) {
  const begun = performance.now()
  const child = spawn(process.execPath, [CMS, 'build', '-C', root], { stdio: 'ignore' })
  const watched = watch(child.pid)
  const [code] = await once(child, 'exit')
  const { peak, readMb } = watched.end()
  if (code !== 0) throw new Error(`the build ended with ${code}`)
  return { peak, readMb, ms: performance.now() - begun, made: readdirSync(join(root, '.cms/cache/pictures')).length }
}

/** The memory of a server that has made no picture yet, and is asked for all of one at once. */
async function serve(root: string, ending: string): Promise<number> {
  rmSync(join(root, '.cms/cache/pictures'), { recursive: true })
  const server = await startQuire(root)
  const watched = watch(server.pid)
  await Promise.all(addressesOf(ending).map((path) => ask(server.url + path)))
  await server.stop()
  return watched.end().peak
}

/** Asks until there is an answer: on a busy machine, the last picture takes longer than a silent connection is kept. */
async function ask(url: string): Promise<void> {
  const answer = await fetch(url).catch(() => undefined)
  await answer?.arrayBuffer()
  if (!answer) await ask(url)
  else if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
}

/** Watches the memory of a process with those that it started, and the bytes that it reads itself. */
function watch(pid: ChildProcess['pid']) {
  let [peak, read] = [0, 0]
  const timer = every(() => {
    const all = [pid, ...childrenOf(pid)]
    peak = Math.max(
      peak,
      all.reduce<number>((sum, one) => sum + numberIn(`/proc/${one}/status`, /VmRSS:\s+(\d+)/), 0),
    )
    read = Math.max(read, numberIn(`/proc/${pid}/io`, /rchar: (\d+)/))
  }, 10)
  return {
    end: () => {
      clearInterval(timer)
      return { peak: Math.round(peak / 1024), readMb: Math.round(read / 1_000_000) }
    },
  }
}

function childrenOf(pid: ChildProcess['pid']): string[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.filter((one) => numberIn(`/proc/${one}/status`, /PPid:\s+(\d+)/) === pid)
}

function numberIn(path: string, number: RegExp): number {
  return Number(number.exec(textAt(path))?.[1] ?? 0)
}

/** Empty where the process is gone. */
function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
