import { NotFound } from '#lib/errors.ts'
import type { ModuleDetail, ModuleRelease } from './registry-client.ts'

/** The version of a module that is asked for, the newest by default. Throws NotFound; one that is withdrawn has to be named. */
export function releaseOf(detail: ModuleDetail, version: string | undefined): ModuleRelease {
  const wanted = version ?? detail.version
  const found = detail.releases.find((one) => one.version === wanted)
  if (found && (version !== undefined || !found.withdrawn)) return found
  const there =
    detail.versions.length > 0 ? `There are ${detail.versions.slice(0, 10).join(', ')}.` : 'All its versions are withdrawn.'
  throw new NotFound(`There is no version ${wanted} of ${detail.name}.`, there)
}

/** The failure where a registry knows of a package, and does not keep it. */
export function elsewhere(name: string, { version, repository }: { version: string; repository: string | null }): NotFound {
  const hint = repository === null ? undefined : `It is at ${repository}: put it into modules/${name} by hand if you trust it.`
  return new NotFound(`The registry does not keep the package of ${name} ${version}.`, hint)
}
