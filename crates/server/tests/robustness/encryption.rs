//! Encrypted connections.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use situated_server::{Settings, TlsFiles};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::server::{PATIENCE, Running, settings, start};

/// A server with a certificate for `localhost`.
async fn encrypted(name: &str) -> (Running, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("there is room");
    let files = TlsFiles { certificate: folder.join("chain.pem"), key: folder.join("key.pem") };
    fs::write(&files.certificate, made.cert.pem()).expect("there is room");
    fs::write(&files.key, made.signing_key.serialize_pem()).expect("there is room");
    let settings = Settings { tls: Some(files), greeting: Duration::from_millis(500), ..settings() };
    (start(settings).await, made.cert.der().clone())
}

async fn connect(server: &Running, certificate: CertificateDer<'static>) -> BufReader<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("it is one");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("there are some")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(server.address).await.expect("the server listens");
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("the certificate is valid");
    BufReader::new(stream)
}

async fn greet(stream: &mut BufReader<TlsStream<TcpStream>>) {
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": { "protocol": 2, "role": "agent" } });
    stream.get_mut().write_all(format!("{hello}\n").as_bytes()).await.expect("the server reads");
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("the server answers");
    let greeting: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(greeting["result"]["protocol"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_encrypted_lines_and_pages_on_one_port() {
    let (server, certificate) = encrypted("encrypted").await;
    let mut stream = connect(&server, certificate.clone()).await;
    greet(&mut stream).await;
    let mut page = connect(&server, certificate).await;
    page.get_mut()
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await
        .expect("the server reads");
    let mut answer = String::new();
    page.read_to_string(&mut answer).await.expect("the server answers");
    assert!(answer.ends_with("ok\n"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn closes_connections_with_invalid_handshakes_soon() {
    let (server, certificate) = encrypted("garbage").await;
    let mut resident = connect(&server, certificate).await;
    greet(&mut resident).await;
    for garbage in [b"{\"jsonrpc\":\"2.0\"}\n".as_slice(), b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff", b""] {
        let mut stream = TcpStream::connect(server.address).await.expect("the server listens");
        stream.write_all(garbage).await.expect("the server reads");
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("it is closed").unwrap_or_default();
    }
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    resident.get_mut().write_all(format!("{ping}\n").as_bytes()).await.expect("the server reads");
    let mut line = String::new();
    resident.read_line(&mut line).await.expect("the server answers");
    assert!(line.contains("\"time\""), "{line}");
}
