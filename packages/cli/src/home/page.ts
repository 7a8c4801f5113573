import { html } from 'hono/html'
import type { ServiceEntry } from '../services.ts'
import type { Health } from './home.ts'

/** The front page. Everything it shows comes from the health report; it holds no script. */
export function renderPage(health: Health, services: readonly ServiceEntry[]) {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Quire</title>
    <link rel="stylesheet" href="home.css" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <main>
      <h1>Quire</h1>
      <p class="lead">AI agents in live notebooks, alone or as a team, with all their tools behind one door.</p>
      <p><span class="dot" aria-hidden="true"></span> ${health.status} · version ${health.version} · up ${duration(health.uptime_seconds)}</p>
      <h2>Services</h2>
      <ul class="services">
        ${services.map((service) => card(service, health.services[service.name]))}
      </ul>
      <p class="foot">Machines read <a href="health">/health</a>.</p>
    </main>
  </body>
</html>`
}

function card({ name, path, summary }: ServiceEntry, state: string | undefined) {
  return html`<li>
          <h3>${name} <code>${path}</code></h3>
          <p>${summary}</p>
          <p class="state ${state}">${state}</p>
        </li>`
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
