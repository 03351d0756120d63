import { readFileSync } from 'node:fs'
import t from 'tap'
import { openSite } from '#cli/open/site.ts'
import { makeSite } from '#support/sites.ts'

const MODULE = {
  'modules/plates/module.yaml': 'api: 1\nname: plates\nversion: 1.0.0\nmain: index.js\npermissions: []\n',
  'modules/plates/package.json': '{"type": "module"}\n',
  'modules/plates/index.js':
    "import { defineModule } from 'quire-cms/module'\nexport default defineModule({ api: 1, fieldTypes: { plate: { base: 'text', rules: 'max:8', check: (value) => (/^[A-Z]+-\\d+$/.test(value) ? undefined : 'must be a plate such as HH-12.') } } })\n",
}
const CONFIG =
  'types:\n  cars:\n    fields:\n      plate: { type: plate, rules: required }\n      others: { type: list, of: { type: plate } }\n'
const CAR = { 'content/cars/a.md': '---\ntitle: A\nplate: HH-12\n---\n' }

t.test('a type of field that a module brings is checked on write, as deep as it is declared', async (t) => {
  const folder = makeSite({ ...MODULE, ...CAR, 'cms.config.yaml': `modules: { enabled: [plates] }\n${CONFIG}` })
  t.teardown(() => folder.remove())
  const site = await openSite({ directory: folder.root, watch: false })
  t.teardown(() => site.close())
  t.same(site.modules.off, [])
  t.same(site.remarks, [])
  const write = (fields: object) => site.features.records.create(site.access, 'cars', { title: 'B', ...fields })
  const errorsOf = (fields: object) =>
    write(fields).then(
      () => undefined,
      ({ errors }: { errors: unknown }) => errors,
    )
  t.same(await errorsOf({ plate: 'hh12' }), { plate: ['The plate must be a plate such as HH-12.'] })
  t.same(await errorsOf({ plate: 'HAMBURG-1234' }), { plate: ['The plate must not be greater than 8 characters.'] })
  t.same(await errorsOf({ plate: 5 }), { plate: ['The plate must be a string.'] })
  t.match(await errorsOf({ plate: 'HH-1', others: ['HH-2', 'x'] }), { 'others.1': [/must be a plate/] })
  await t.resolves(write({ plate: 'HH-1', others: ['HH-2'] }))
})

t.test('while its module is off a field keeps what it holds, and a remark names the place', async (t) => {
  const broken = { ...MODULE, 'modules/plates/index.js': 'throw new Error("out of tea")\n' }
  const folder = makeSite({ ...broken, ...CAR, 'cms.config.yaml': `modules: { enabled: [plates] }\n${CONFIG}` })
  t.teardown(() => folder.remove())
  const site = await openSite({ directory: folder.root, watch: false })
  t.teardown(() => site.close())
  t.match(site.remarks, [
    { message: /^cms\.config\.yaml:5:\d+: types\.cars\.fields\.plate\.type is "plate".* The module "plates" is off\./ },
    { message: /types\.cars\.fields\.others\.of\.type is "plate"/ },
  ])
  t.equal((await site.features.records.get(site.access, 'cars', 'a')).document.fields.plate, 'HH-12')
  await site.features.records.update(site.access, 'cars', 'a', { title: 'Other' }, { asked: {} } as never)
  t.match(readFileSync(folder.path('content/cars/a.md'), 'utf8'), 'plate: HH-12')
})

t.test('a type that nobody brings is a fault with its place, and the nearest name', async (t) => {
  for (const [config, hint, place] of [
    [`modules: { enabled: [plates] }\n${CONFIG.replaceAll('type: plate', 'type: plat')}`, 'Did you mean "plate"?', 5],
    [CONFIG.replace('type: plate', 'type: txet'), 'Did you mean "text"?', 4],
  ] as const) {
    const folder = makeSite({ ...MODULE, ...CAR, 'cms.config.yaml': config })
    t.teardown(() => folder.remove())
    await t.rejects(openSite({ directory: folder.root, watch: false }), {
      message: /types\.cars\.fields\.plate\.type must be one of text, /,
      hint,
      line: place,
    })
  }
})
