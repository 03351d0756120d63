import childProcess, { type ChildProcess, type ForkOptions } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { NoSpace } from '#lib/errors.ts'
import { readerOf } from '#media/bytes.ts'
import { MediaFault } from '#media/fault.ts'
import { areaOf } from '#media/pictures/area.ts'
import { type Decoded, isHeavy } from '#media/pictures/heavy.ts'
import { type MadePicture, type PictureSource, Pictures, PicturesBusy, type PicturesOptions } from '#media/pictures/pictures.ts'
import type { DrawAnswer, DrawQuestion, PictureRequest } from '#media/pictures/request.ts'
import { replaceIn } from '#support/builtins.ts'
import { TestClock } from '#support/clock.ts'
import { pixels } from './pictures.ts'

interface Opened {
  readonly pictures: Pictures
  readonly folder: string
  readonly clock: TestClock
}

function open(t: Test, options: Partial<PicturesOptions> = {}): Opened {
  const [folder, clock] = [t.testdir(), new TestClock()]
  const pictures = new Pictures({ folder, bytes: 10_000_000, maxPixels: 1_000_000, clock, ...options })
  t.teardown(() => pictures.close())
  return { pictures, folder, clock }
}

/** A source that counts how often it is read. */
function sourceOf(bytes: Buffer, ref = 'a'): PictureSource & { opened: number } {
  return {
    ref,
    opened: 0,
    async open() {
      this.opened++
      return readerOf(bytes)
    },
  }
}

/** A picture of 400 × 200: red on its left half, blue on its right. */
async function redAndBlue(orientation?: number): Promise<Buffer> {
  const blue = { create: { width: 200, height: 200, channels: 3, background: '#0000ff' } } as const
  const whole = sharp({ create: { width: 400, height: 200, channels: 3, background: '#ff0000' } })
  const picture = whole.composite([{ input: blue, left: 200, top: 0 }])
  return await (orientation ? picture.withMetadata({ orientation }) : picture).png().toBuffer()
}

async function look(made: MadePicture | undefined): Promise<{ size: string; format: string; colour: string }> {
  const bytes = readFileSync(made?.path ?? '')
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const [r = 0, , b = 0] = data
  const { format = '', pages = 1 } = await sharp(bytes).metadata()
  return {
    size: `${info.width} x ${info.height}`,
    format: pages > 1 ? `${format} of ${pages}` : format,
    colour: r > b ? 'red' : 'blue',
  }
}

t.test('smaller pictures have the width and the format that were asked for', async (t) => {
  const { pictures } = open(t)
  t.equal(await pictures.canMake(), true)
  const source = sourceOf(await redAndBlue())
  const made = async (asked: PictureRequest) => await look(await pictures.make(source, asked))
  t.match(await made({ width: 100, format: 'jpeg' }), { size: '100 x 50', format: 'jpeg', colour: 'red' })
  t.match(await made({ width: 100, format: 'webp' }), { size: '100 x 50', format: 'webp' })
  t.match(await made({ width: 100, format: 'avif' }), { size: '100 x 50', format: 'heif' })
  t.match(await made({ width: 100, format: 'png' }), { size: '100 x 50', format: 'png' })
  t.match(await made({ width: 1920, format: 'webp' }), { size: '400 x 200' }, 'none is enlarged')
  t.match(await made({ width: 100, height: 100, format: 'png' }), { size: '100 x 100' })
  t.match(await made({ width: 100, height: 100, format: 'png', focalPoint: { x: 0.1, y: 0.5 } }), { colour: 'red' })
  t.match(await made({ width: 100, height: 100, format: 'png', focalPoint: { x: 0.9, y: 0.5 } }), { colour: 'blue' })
  t.match(await made({ width: 1920, height: 1920, format: 'png' }), { size: '200 x 200' }, 'of the shape that was asked for')
  const turned = sourceOf(await redAndBlue(6), 'turned')
  t.match(await look(await pictures.make(turned, { width: 100, format: 'jpeg' })), { size: '100 x 200', colour: 'red' })
  const below = { width: 100, height: 50, format: 'png', focalPoint: { x: 0.5, y: 1 } } as const
  t.match(
    await look(await pictures.make(turned, below)),
    { size: '100 x 50', colour: 'blue' },
    'a focal point is one of what is shown',
  )
})

t.test('the part that is shown lies in the picture, has its shape, and is not enlarged', (t) => {
  t.strictSame(areaOf(1000, 3, { width: 320, format: 'png' }).drawn, { width: 320, height: 1 })
  for (const [width, height] of [
    [1, 1],
    [3, 1000],
    [641, 359],
    [4032, 3024],
  ] as const) {
    for (const x of [0, 0.3, 1]) {
      const area = areaOf(width, height, { width: 640, height: 360, format: 'png', focalPoint: { x, y: 1 - x } })
      t.ok(area.left >= 0 && area.top >= 0 && area.left + area.width <= width && area.top + area.height <= height)
      t.ok(area.drawn.width <= Math.min(640, area.width) && area.drawn.height <= Math.min(360, area.height))
      t.ok(area.width >= 1 && area.height >= 1 && area.drawn.width >= 1 && area.drawn.height >= 1)
    }
  }
  t.end()
})

t.test('what moves goes on moving as WebP, and stands still in other formats', async (t) => {
  const { pictures } = open(t)
  const gif = sourceOf(await pixels(3).gif().toBuffer())
  const made = async (asked: PictureRequest) => await look(await pictures.make(gif, asked))
  t.match(await made({ width: 20, format: 'webp' }), { size: '20 x 12', format: 'webp of 3' })
  t.match(await made({ width: 10, height: 10, format: 'webp' }), { size: '10 x 10', format: 'webp of 3' })
  t.match(await made({ width: 20, format: 'png' }), { size: '20 x 12', format: 'png' })
  const turned = sourceOf(await pixels(3).withMetadata({ orientation: 6 }).webp().toBuffer(), 'b')
  const still = await look(await pictures.make(turned, { width: 12, format: 'webp' }))
  t.match(still, { size: '12 x 20', format: 'webp' }, 'frames are not turned')
})

t.test('a picture is made once, however many ask for it, and found by the next program', async (t) => {
  const { pictures, folder, clock } = open(t)
  const source = sourceOf(await redAndBlue())
  const asked = { width: 100, format: 'webp' } as const
  const all = await Promise.all(Array.from({ length: 64 }, () => pictures.make(source, asked)))
  t.equal(source.opened, 1)
  t.equal(new Set(all.map((made) => made?.path)).size, 1)
  t.match(all[0], { mime: 'image/webp', size: readFileSync(all[0]?.path ?? '').length })
  const other = new Pictures({ folder, bytes: 10_000_000, maxPixels: 1_000_000, clock })
  t.strictSame(await other.make(source, asked), all[0])
  t.equal(source.opened, 1)
  other.close()
  rmSync(folder, { recursive: true })
  t.strictSame(await pictures.make(source, asked), all[0], 'one that was removed is made anew')
  t.equal(source.opened, 2)
  const changed = await pictures.make(sourceOf(await redAndBlue(), 'b'), asked)
  t.not(changed?.tag, all[0]?.tag, 'one of other bytes is another')
  t.equal(readdirSync(folder).length, 2, 'nothing else is left in the folder')
})

t.test('those that were not asked for longest make room', async (t) => {
  const { pictures, folder, clock } = open(t, { bytes: 1000 })
  const source = sourceOf(await redAndBlue())
  const names = async (...widths: readonly number[]) => {
    for (const width of widths) {
      await pictures.make(source, { width, format: 'png' })
      clock.advance(120_000)
    }
    return readdirSync(folder).length
  }
  const many = Array.from({ length: 20 }, (_, index) => 100 + index)
  const left = await names(...many)
  t.ok(left > 1 && left < 20)
  const before = source.opened
  await names(119, 118)
  t.equal(source.opened, before, 'those that were made last are there')
  await names(100)
  t.equal(source.opened, before + 1, 'the first is made anew')
  const quick = open(t, { bytes: 1 })
  for (const width of [10, 20, 30]) await quick.pictures.make(source, { width, format: 'png' })
  t.equal(readdirSync(quick.folder).length, 3, 'none goes that someone may be about to open')
})

t.test('of one picture in one width few heights are kept, whichever are asked for', async (t) => {
  const { pictures, folder, clock } = open(t)
  const source = sourceOf(await redAndBlue())
  const ask = (height: number, more: Partial<PictureRequest> = {}) =>
    pictures.make(source, { width: 40, height, format: 'png', ...more })
  const kept = () => readdirSync(folder).length
  const made: (MadePicture | undefined)[] = []
  for (let height = 1; height <= 6; height++) made.push(await ask(height))
  t.equal(kept(), 6, 'those that were just asked for stay')
  clock.advance(61_000)
  t.equal((await ask(1))?.path, made[0]?.path)
  await ask(40, { format: 'jpeg' })
  t.equal(kept(), 4)
  t.ok(
    readdirSync(folder).some((name) => made[0]?.path.endsWith(name)),
    'the one that was asked for again is among them',
  )
  await ask(10, { width: 20 })
  await pictures.make(source, { width: 40, format: 'png' })
  t.equal(kept(), 6, 'other widths, and pictures that are not cut, are others')
  const next = new Pictures({ folder, bytes: 10_000_000, maxPixels: 1_000_000, clock })
  t.teardown(() => next.close())
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), clock.now() / 1000, clock.now() / 1000)
  clock.advance(61_000)
  const other = await next.make(source, { width: 40, height: 50, format: 'png' })
  t.equal(kept(), 6, 'also by the next program')
  t.ok(readdirSync(folder).some((name) => other?.path.endsWith(name)))
})

t.test('pictures that can’t be decoded are faults, and are not tried again and again', async (t) => {
  const { pictures, folder, clock } = open(t)
  const asked = { width: 10, format: 'png' } as const
  const large = await sharp({ create: { width: 1001, height: 1000, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  const photo = await pixels().jpeg().toBuffer()
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')
  const bad = { large, svg, half: photo.subarray(0, photo.length / 2), none: Buffer.alloc(0), text: Buffer.from('no picture') }
  for (const [ref, bytes] of Object.entries(bad)) {
    const source = sourceOf(bytes, ref)
    for (let time = 0; time < 3; time++) t.ok((await faultOf(pictures.make(source, asked))) instanceof MediaFault, ref)
    t.equal(source.opened, 1)
    clock.advance(3_600_000)
    await t.rejects(pictures.make(source, asked), /decoded/)
    t.equal(source.opened, 2, 'but after a while')
  }
  t.strictSame(readdirSync(folder), [])
})

t.test('too many at once are told so', async (t) => {
  const { pictures } = open(t)
  const source = sourceOf(await redAndBlue())
  const asks = Array.from({ length: 300 }, (_, index) => pictures.make(source, { width: 10 + index, format: 'png' }))
  const busy = await Promise.any(
    asks.map((ask) =>
      ask.then(
        () => Promise.reject(),
        (error: unknown) => error,
      ),
    ),
  )
  t.ok(busy instanceof PicturesBusy)
  t.match(busy, { status: 503, retryAfter: 5 })
  t.ok(source.opened <= 10, 'what waits holds no copy')
  pictures.close()
  await Promise.allSettled(asks)
})

t.test('who asks for many pictures keeps nobody waiting, and one picture in many sizes no other', async (t) => {
  const { pictures } = open(t)
  const bytes = await redAndBlue()
  const order: string[] = []
  const made = async (ref: string, height: number, client: string) => {
    const asked = { width: 10, height, format: 'png' } as const
    await pictures.make(sourceOf(bytes, ref), asked, client).catch((error: unknown) => {
      if (!(error instanceof PicturesBusy)) throw error
    })
    order.push(ref)
  }
  const many = Array.from({ length: 300 }, (_, n) => made('photo', n + 1, 'one'))
  await Promise.all([made('beside', 10, 'one'), made('other', 10, 'another')])
  t.ok(order.filter((ref) => ref === 'photo').length < 80, `${order.length} before`)
  pictures.close()
  await Promise.allSettled(many)
})

t.test('a full disk is told as such, and nothing is left on it', async (t) => {
  const { pictures, folder } = open(t)
  const source = sourceOf(await redAndBlue())
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const broken = { ...source, open: async () => ({ size: 10, read: () => Promise.reject(full) }) }
  t.ok((await faultOf(pictures.make(broken, { width: 10, format: 'png' }))) instanceof NoSpace)
  t.strictSame(readdirSync(folder), [])
  t.ok(await pictures.make(source, { width: 10, format: 'png' }))
})

/** The processes that are started from here on, the first of which die at once. */
function processes(t: Test, dying = 0): ChildProcess[] {
  const started: ChildProcess[] = []
  const { fork } = childProcess
  replaceIn(t, childProcess, {
    fork: (...words: Parameters<typeof fork>) => {
      const child = fork(...words)
      if (started.push(child) <= dying) child.kill('SIGKILL')
      return child
    },
  })
  return started
}

t.test('a process that dies at a picture is begun anew, once', async (t) => {
  const source = sourceOf(await redAndBlue())
  const asked = { width: 10, format: 'png' } as const
  const started = processes(t, 1)
  t.ok(await open(t).pictures.make(source, asked))
  t.equal(started.length, 2)
  const others = processes(t, 2)
  const { pictures } = open(t)
  t.ok((await faultOf(pictures.make(source, asked))) instanceof MediaFault)
  t.equal(others.length, 2)
  t.ok(await pictures.make(source, { ...asked, width: 11 }), 'and other pictures are made')
})

t.test('a picture that makes the process end takes no other one along', async (t) => {
  const source = sourceOf(await redAndBlue())
  const [bad, atOnce] = [13, 2]
  const { fork } = childProcess
  let first: ChildProcess | undefined
  replaceIn(t, childProcess, {
    fork: (...words: Parameters<typeof fork>) => {
      const child = fork(...words)
      first ??= child
      const [send, widths] = [child.send.bind(child), [] as number[]]
      child.send = (question: { readonly drawing?: { readonly width: number } }) => {
        widths.push(question.drawing?.width ?? 0)
        // The first is told nothing before it is asked for both: it might have made the one by then.
        if (child === first && widths.length < atOnce) return true
        if (widths.includes(bad)) child.kill('SIGKILL')
        return send(question)
      }
      return child
    },
  })
  const { pictures } = open(t)
  const make = (width: number) => pictures.make(source, { width, format: 'png' })
  const [broken, ...made] = await Promise.allSettled([bad, 12, 14, 15].map(make))
  t.ok(broken?.status === 'rejected' && broken.reason instanceof MediaFault)
  t.strictSame(
    made.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  )
})

t.test('of pictures that take much memory one is decoded at a time, and nothing beside it', async (t) => {
  const { fork } = childProcess
  const [atWork, beside, alone] = [new Set<number>(), [] as number[], [] as number[]]
  replaceIn(t, childProcess, {
    fork: (...words: Parameters<typeof fork>) => {
      const child = fork(...words)
      const send = child.send.bind(child)
      child.send = (question: DrawQuestion) => {
        atWork.add(question.id)
        if (question.isAlone) alone.push(question.id)
        for (const id of alone) if (atWork.has(id) && atWork.size > 1) beside.push(id)
        return send(question)
      }
      child.prependListener('message', ({ id }: DrawAnswer) => atWork.delete(id))
      return child
    },
  })
  const { pictures } = open(t, { maxPixels: 20_000_000 })
  const create = { width: 4200, height: 4000, channels: 3, background: '#123456' } as const
  const heavy = sourceOf(await sharp({ create }).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(), 'heavy')
  const light = sourceOf(await sharp({ create }).jpeg().toBuffer(), 'light')
  const asks = [10, 20, 30].flatMap((width) => [heavy, light].map((source) => pictures.make(source, { width, format: 'jpeg' })))
  for (const made of await Promise.all(asks)) t.match(await look(made), { format: 'jpeg' })
  t.equal(alone.length, 3)
  t.strictSame(beside, [])
})

t.test('what takes much memory is told by how a format is decoded', (t) => {
  const of40 = {
    width: 8000,
    height: 5000,
    channels: 4,
    depth: 'uchar',
    isProgressive: false,
    chromaSubsampling: '4:2:0',
  } as const
  type Ways = Partial<Decoded> & Pick<Decoded, 'format'>
  const light: Ways[] = [
    { format: 'jpeg' },
    { format: 'png', depth: 'ushort' },
    { format: 'gif' },
    { format: 'jpeg', isProgressive: true, height: 3000 },
    { format: 'webp', height: 1500 },
  ]
  const heavy: Ways[] = [
    { format: 'jpeg', isProgressive: true },
    { format: 'png', isProgressive: true },
    { format: 'png', isProgressive: true, depth: 'ushort', height: 2500 },
    { format: 'webp' },
    { format: 'heif', height: 1000 },
  ]
  for (const picture of light) t.notOk(isHeavy({ ...of40, ...picture }), JSON.stringify(picture))
  for (const picture of heavy) t.ok(isHeavy({ ...of40, ...picture }), JSON.stringify(picture))
  t.end()
})

t.test('a picture that takes too long is given up, and others are made', async (t) => {
  const started = processes(t)
  const { pictures } = open(t, { seconds: 0.1 })
  const source = sourceOf(await redAndBlue())
  t.ok(await pictures.make(source, { width: 10, format: 'png' }))
  started[0]?.kill('SIGSTOP')
  await t.rejects(pictures.make(source, { width: 11, format: 'png' }), /takes too long/)
  t.ok(started[0]?.killed)
  t.ok(await pictures.make(source, { width: 12, format: 'png' }))
})

t.test('a process with nothing to do keeps no program running, and ends', async (t) => {
  const started = processes(t)
  const { pictures } = open(t, { idleMs: 1 })
  const before = running()
  t.ok(await pictures.make(sourceOf(await redAndBlue()), { width: 10, format: 'png' }))
  t.equal(running(), before)
  await until(() => started[0]?.signalCode === 'SIGKILL')
})

t.test('where sharp is not installed there are no smaller pictures, and that is no error', async (t) => {
  const hooks = 'export async function resolve(a,b,c){if(a==="sharp")throw new Error("gone");return c(a,b)}'
  const script = `import{register}from"node:module";register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})`
  const without = `--import=data:text/javascript,${encodeURIComponent(script)}`
  const { fork } = childProcess
  // In an argument: the runner may put its own words in the place of NODE_OPTIONS.
  replaceIn(t, childProcess, {
    fork: (path: string, options: ForkOptions) => fork(path, { ...options, execArgv: [...process.execArgv, without] }),
  })
  const { pictures, folder } = open(t)
  const source = sourceOf(await redAndBlue())
  t.equal(await pictures.canMake(), false)
  t.equal(await pictures.make(source, { width: 10, format: 'png' }), undefined)
  t.equal(await pictures.make(source, { width: 11, format: 'png' }), undefined)
  t.equal(source.opened, 1, 'which is known from then on')
  t.strictSame(readdirSync(folder), [])
})

async function faultOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** Number of processes and pipes that the event loop waits for. */
function running(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(?:ProcessWrap|PipeWrap)$/.test(name)).length
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
