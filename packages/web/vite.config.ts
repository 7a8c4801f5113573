import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  // Relative: the page is served below whatever path its service is mounted at, and says so in its <base>.
  base: './',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2023',
    outDir: 'dist',
    // Inlined pieces would need a weaker policy for content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
