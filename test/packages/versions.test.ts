import t from 'tap'
import { permissionChanges, permissionWords } from '#packages/permissions.ts'
import { compareVersions, isRange, isVersion, isWithin, newestOf } from '#packages/versions.ts'

t.test('versions are those of SemVer, and ordered by precedence', async (t) => {
  for (const text of ['1.0.0', '0.0.1', '1.0.0-rc.1', '10.20.30-a.b-c']) t.ok(isVersion(text), text)
  for (const text of ['1', '1.0', 'v1.0.0', ' 1.0.0', '01.0.0', '1.0.0+build', '', '1.0.0/..', 'x'.repeat(99)])
    t.notOk(isVersion(text), text)
  const order = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.2.0', '1.10.0']
  t.strictSame([...order].reverse().sort(compareVersions), order)
  t.equal(newestOf([...order, '2.0.0-rc.1']), '1.10.0')
  t.equal(newestOf(['1.0.0-a', '1.0.0-b']), '1.0.0-b')
  t.equal(newestOf([]), undefined)
  for (const text of ['*', '1.x', '>=0.1 <2', '^1.2.0 || ^2']) t.ok(isRange(text), text)
  for (const text of ['', ' ', 'latest', 'about 1']) t.notOk(isRange(text), text)
  t.ok(isWithin('0.1.0', '>=0.1'))
  t.notOk(isWithin('0.1.0', '^1'))
})

t.test('permissions have plain words', async (t) => {
  t.equal(permissionWords('records:content:read@posts'), 'Read posts that are live')
  t.equal(permissionWords('records:content:write'), 'Make and change records of all types')
  t.equal(permissionWords('http:api.example.org'), 'Ask api.example.org on the internet')
  t.equal(permissionWords('routes:/api/contacts'), 'Answer at /api/contacts')
  t.strictSame(permissionChanges(['store', 'mail'], ['store', 'jobs']), { added: ['jobs'], dropped: ['mail'] })
})
