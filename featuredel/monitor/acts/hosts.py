"""Functions and classes of Python that go to a host."""

import re

MODELS = (
    "openai.", "anthropic.", "litellm.", "cohere.", "mistralai.", "google.generativeai.",
    "google.genai.", "groq.", "together.", "replicate.",
)  # fmt: skip
"""Clients of services that write code."""

HOSTS = (
    "urllib.request.", "urllib2.", "urllib.urlopen", "urllib.urlretrieve", "requests.", "httpx.",
    "aiohttp.", "http.client.HTTP", "socket.create_connection", "socket.socket", "ftplib.",
    "xmlrpc.client.", "urllib3.", "telnetlib.", "paramiko.", "socket.gethostbyname",
    "socket.getaddrinfo", "wget.download", "pycurl.", "smtplib.", "asyncio.open_connection",
    "webbrowser.open", "websocket", "dns.resolver.",
    "dns.query.", "playwright.", "selenium.", "mechanize.", "imaplib.",
    "poplib.", "nntplib.", "grpc.insecure_channel", "grpc.secure_channel", "asyncssh.", "pysftp.",
    "fabric.", "boto3.", "minio.", "google.cloud.", "azure.", "github.Github", "gitlab.Gitlab",
    "huggingface_hub.", "datasets.load_dataset", "torch.hub.", "gdown.", "pooch.retrieve",
    "tornado.httpclient.", "treq.", "feedparser.parse", "trafilatura.fetch_url", "newspaper.",
    "duckduckgo_search.", "googlesearch.", "wikipedia.", "dulwich.porcelain.clone",
    "dulwich.porcelain.fetch", "dulwich.porcelain.pull", "dulwich.porcelain.ls_remote",
    "dulwich.client.", "git.Repo.clone_from", "git.cmd.Git.clone", "pygit2.clone_repository",
    "scapy.", "libtorrent.", "yt_dlp.", "curl_cffi.", "niquests.", "cloudscraper.",
    *MODELS,
)  # fmt: skip
TALKS = re.compile(
    r"(smtplib|ftplib|telnetlib|http\.client|socket)\.(SMTP|FTP|Telnet|HTTP|socket)\w*\.(?!connect|sendto)"
)
