import t from 'tap'
import { keyOf } from '#core/key.ts'
import { type BrowserPage, startChromium } from '#support/chromium.ts'
import { until } from '#support/cli.ts'
import { panelOf } from '#support/panel.ts'
import { plainTypes } from '#support/types.ts'
import { pixels } from '../media/pictures.ts'
import { AXE, signedPage } from './panel-site.ts'

const FILES = { 'content/posts/hello.md': '---\ntitle: Hello\nstatus: published\n---\n![](/media/2026/square.png)\n' }
const PNG = await pixels().resize(400, 300).png().toBuffer()

/** As much of the checks as is used. */
interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

const chromium = await startChromium()
t.teardown(() => chromium.close())

/** Chooses files in the form to upload, and sends it as its button does. */
async function send(
  page: BrowserPage,
  folder: string,
  files: readonly (readonly [name: string, bytes: string])[],
): Promise<void> {
  await page.evaluate(
    ({ folder, files }) => {
      const form = document.querySelector<HTMLFormElement>('[data-upload] form')
      const input = form?.querySelector<HTMLInputElement>('input[type=file]')
      if (!form || !input) throw new Error('There is no form to upload.')
      const chosen = new DataTransfer()
      for (const [name, bytes] of files)
        chosen.items.add(new File([Uint8Array.from(atob(bytes), (byte) => byte.charCodeAt(0))], name))
      input.files = chosen.files
      form.querySelector<HTMLInputElement>('[name=folder]')?.setAttribute('value', folder)
      form.requestSubmit()
    },
    { folder, files },
  )
}

t.test('files are uploaded one by one, and a focal point is set by a click', (t) =>
  panelOf(t, FILES, async (t, given) => {
    if (given.opened.name === 'postgres') return
    const { page, origin, errors } = await signedPage(t, chromium, given)
    const { store } = given.opened
    const square = ['Square.png', PNG.toString('base64')] as const
    const table = ['a.csv', Buffer.from('a,b\n').toString('base64')] as const
    await page.goto(`${origin}/admin/media`)
    await send(page, '2026', [square, table])
    await page.waitForURL(/folder=2026%2F\*&done=uploaded-all/)
    t.ok(await store.get(keyOf('media', '2026~a.csv')))
    t.strictSame(errors, [])
    await send(page, '', [table, ['bad.bin', Buffer.from('MZ\0\0\0').toString('base64')]])
    await page.waitForSelector('#uploads .notice.bad')
    t.match(await page.innerText('#uploads'), /bad\.bin: .+a\.csv was taken/s)
    errors.splice(0)
    const look = async (url: string) => {
      await page.goto(`${origin}${url}`)
      await page.evaluate(AXE)
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: Axe }
        return (await axe.run({ resultTypes: ['violations'] })).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
      })
      t.strictSame(violations, [], url)
    }
    const here = '/admin/media/2026~square.png'
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      for (const url of ['/admin/media', `${here}/edit`, '/admin/media/2026~a.csv/edit', `${here}/delete`]) {
        await page.emulateMedia({ colorScheme: width === 390 ? 'dark' : 'light' })
        await look(url)
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        t.equal(wider, 0, `${url} at ${width}`)
      }
    }
    await page.goto(`${origin}${here}/edit`)
    const at = await page.evaluate(() => {
      const { left, top, width, height } = document.querySelector('[data-focal] img')?.getBoundingClientRect() ?? new DOMRect()
      return { x: left + width * 0.75, y: top + height * 0.25 }
    })
    await page.mouse.click(at.x, at.y)
    const ring = () => page.evaluate(() => document.querySelector('[data-focal] .ring')?.getAttribute('cx'))
    const crop = () => page.evaluate(() => document.querySelectorAll('.crops svg')[1]?.getAttribute('viewBox'))
    t.match(await ring(), /^7[45](?:\.\d)?%$/)
    await page.fill('#f-focal-x', '80')
    t.equal(await ring(), '80%', 'it follows its fields')
    t.equal(await crop(), '100 0 300 300')
    await page.fill('#f-alt', 'A square')
    await page.focus('#f-alt')
    await page.keyboard.press('Control+S')
    await page.waitForURL(/done=saved/)
    t.match((await store.get(keyOf('media', '2026~square.png')))?.fields, { alt: 'A square', focal_point: { x: 0.8 } })
    t.equal(await crop(), '100 0 300 300', 'the server crops alike')
    t.strictSame(errors, [], 'the browser complains of nothing')
  }),
)

t.test('a field takes a file that is chosen, or uploaded where it is used', (t) =>
  panelOf(
    t,
    { 'content/boats/elbe.md': '---\ntitle: Elbe\n---\nx\n' },
    async (t, given) => {
      const { page, origin, errors } = await signedPage(t, chromium, given)
      const { store } = given.opened
      const boat = async () => (await store.get(keyOf('boats', 'elbe')))?.fields
      const value = () => page.evaluate(() => document.querySelector<HTMLInputElement>('[name=cover]')?.value)
      const save = async (cover: string) => {
        await page.click('button.say:has-text("Update")')
        await until(boat, (fields) => fields?.cover === cover)
      }
      await page.goto(`${origin}/admin/content/boats/elbe/edit`)
      await page.focus('[data-choose]')
      await page.keyboard.press('Enter')
      await page.waitForSelector('[role=option]:has-text("harbour.png") img')
      t.equal(await page.evaluate(() => document.querySelectorAll('[role=option]').length), 1, 'pictures alone are offered')
      await page.keyboard.press('Enter')
      t.equal(await value(), '2026/harbour.png')
      t.equal(await page.evaluate(() => document.activeElement?.hasAttribute('data-choose')), true, 'the focus is where it was')
      await page.waitForSelector('[data-media] .picture img', { state: 'visible' })
      await save('2026/harbour.png')
      const chooser = page.waitForEvent('filechooser')
      await page.click('[data-upload-one]')
      await (await chooser).setFiles({ name: 'Sea Wall.png', mimeType: 'image/png', buffer: PNG })
      await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=cover]')?.value === 'sea-wall.png')
      await save('sea-wall.png')
      t.strictSame(errors.splice(0), [], 'the browser complains of nothing')
      const again = page.waitForEvent('filechooser')
      await page.click('[data-upload-one]')
      await (await again).setFiles({ name: 'bad.png', mimeType: 'image/png', buffer: Buffer.from('MZ') })
      await page.waitForSelector('[data-fault]:has-text("bad.png was not uploaded")')
      t.equal(await value(), 'sea-wall.png', 'what was chosen stays')
    },
    {
      site: {
        types: plainTypes({ boats: { fields: { cover: { type: 'media', accept: ['image'] } } } }),
        beside: { 'content/media/2026/harbour.png': PNG, 'content/media/a.csv': 'a,b\n' },
      },
    },
  ),
)
