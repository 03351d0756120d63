import t from 'tap'
import { cms, scratchSite } from '#support/cli.ts'

const FILES = {
  'cms.config.yaml': 'settings: { shop.margin: { type: number, rules: "max:90" } }\n',
  'content/about.md': '# About\n',
  'content/settings.yaml': 'site: { tagine: x }\ncustom: { a: 1 }\nshop: { margin: 91 }\nold: { x: 1 }\n',
  'content/settings/custom.yaml': 'any: { thing: 1 }\nkey: AKIAIOSFODNN7EXAMPLE\n',
}

t.test('cms check names what is wrong with settings', async (t) => {
  const root = scratchSite(t, FILES)
  const { code, stdout } = await cms(['check'], { cwd: root })
  t.equal(code, 1)
  t.strictSame(stdout.trim().split('\n').sort(), [
    'content/settings.yaml: warning: The group "custom" has a file of its own, which wins. Keep one of the two.',
    'content/settings.yaml: warning: The shop.margin must not be greater than 90.',
    'content/settings.yaml: warning: There is no setting "old.x". Declare it under settings in cms.config.yaml, or put it into custom.',
    'content/settings.yaml: warning: There is no setting "site.tagine". Did you mean "site.tagline"?',
    'content/settings/custom.yaml: warning: custom.key holds a key of AWS. Settings are no place for secrets: take it back.',
  ])
  const off = scratchSite(t, { ...FILES, 'cms.config.yaml': 'features: { settings: false }\n' })
  t.equal((await cms(['check'], { cwd: off })).code, 0)
})

t.test('cms check --fix goes on where the settings can not be read', async (t) => {
  const root = scratchSite(t, { 'content/settings.yaml': 'site: [\n', 'content/bad.md': '---\ntitle: [\n---\n' })
  const { code, stdout, stderr } = await cms(['check', '--fix'], { cwd: root })
  t.equal(code, 1)
  t.match(stdout, /^content\/bad\.md:.*\ncontent\/settings\.yaml:/)
  t.match(stderr, 'The settings are not split: their file can’t be read.')
})
