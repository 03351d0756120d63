import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { panelOf } from '#support/panel.ts'

t.test('styles and scripts are sent packed to who takes them so, and kept', (t) =>
  panelOf(t, {}, async (t, { app, browser }) => {
    const { html } = await browser.get('/admin')
    const url = /href="(\/admin\/assets\/panel\.[0-9a-f]+\.css)"/.exec(html)?.[1] ?? ''
    const ask = (accepted?: string) =>
      app.app.inject({ url, headers: { host: 'localhost', ...(accepted !== undefined && { 'accept-encoding': accepted }) } })
    const plain = await ask()
    t.equal(plain.statusCode, 200)
    t.match(plain.headers, { 'content-encoding': undefined, vary: /accept-encoding/i, 'cache-control': /immutable/ })
    for (const accepted of ['gzip, deflate, br', 'br;q=1.0, GZIP;q=0.5', 'GZIP', 'br;q=0.5, gzip']) {
      const packed = await ask(accepted)
      const coding = /^g|5, g/i.test(accepted) && accepted !== 'gzip, deflate, br' ? 'gzip' : 'br'
      const unpacked = coding === 'gzip' ? gunzipSync : brotliDecompressSync
      t.match(packed.headers, { 'content-encoding': coding, vary: /accept-encoding/i, 'cache-control': /immutable/ }, accepted)
      t.ok(unpacked(packed.rawPayload).equals(plain.rawPayload), 'the same bytes')
      t.ok(packed.rawPayload.length <= plain.rawPayload.length / 3)
    }
    for (const accepted of ['identity', 'gzip;q=0', 'gzip; q=0.0, br;q=0', 'x-gzip'])
      t.equal((await ask(accepted)).headers['content-encoding'], undefined, accepted)
    for (const wrong of ['/admin/assets/%E0%A4', '/admin/assets/../panel.css', '/admin/assets/panel.css', '/admin/assets/'])
      t.ok([400, 404].includes((await browser.get(wrong)).status), wrong)
  }),
)
